// A business's webhook endpoint as it should be: it believes nothing that is not signed.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'

const envelope = z.object({
  type: z.string(),
  data: z.looseObject({ status: z.string() }),
})
export type VerifiedWebhook = z.infer<typeof envelope>

export type DemoReceiver = {
  readonly port: number
  /** Resolves with the first verified webhook of this type, sent already or yet to come. */
  received(type: string): Promise<VerifiedWebhook>
}

export async function startDemoReceiver(
  secret: string,
  onWebhook: (webhook: VerifiedWebhook) => void,
): Promise<DemoReceiver> {
  const seen = new Map<string, VerifiedWebhook>()
  const waiting = new Map<string, (webhook: VerifiedWebhook) => void>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const isGenuine = verify(secret, request.headers, body)
    response.writeHead(isGenuine ? 204 : 401).end()
    if (!isGenuine) return
    const webhook = envelope.parse(JSON.parse(body))
    seen.set(webhook.type, webhook)
    onWebhook(webhook)
    waiting.get(webhook.type)?.(webhook)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    received: (type) =>
      new Promise((resolve) => {
        const already = seen.get(type)
        if (already === undefined) waiting.set(type, resolve)
        else resolve(already)
      }),
  }
}

/** Standard Webhooks: an HMAC of `id.timestamp.body` under the endpoint's secret, one of the signatures must match. */
function verify(secret: string, headers: IncomingMessage['headers'], body: string): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(signed).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((entry) => {
      const given = Buffer.from(entry.replace(/^v1,/, ''), 'base64')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
