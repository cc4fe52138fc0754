// A webhook endpoint as a business should write it: it accepts only signed webhooks.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'

const envelope = z.object({
  type: z.string(),
  account: z.looseObject({ name: z.string(), is_seller: z.boolean() }),
  data: z.looseObject({ status: z.string(), derivation_index: z.number().optional() }),
})
export type VerifiedWebhook = z.infer<typeof envelope>

type Expected = {
  readonly secret: string
  readonly onWebhook: (webhook: VerifiedWebhook) => void
  /** Called for a webhook that is signed with another secret. */
  readonly onForeign: () => void
}
type IsWanted = (webhook: VerifiedWebhook) => boolean

export class DemoReceiver {
  readonly url: string
  readonly #seen: VerifiedWebhook[] = []
  readonly #waiting = new Map<IsWanted, (webhook: VerifiedWebhook) => void>()
  #expected: Expected | null = null

  private constructor(url: string) {
    this.url = url
  }

  static async start(): Promise<DemoReceiver> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const receiver = new DemoReceiver(`http://127.0.0.1:${port}/webhooks`)
    server.on('request', async (request, response) => {
      response.writeHead(receiver.#take(request.headers, await text(request))).end()
    })
    return receiver
  }

  expect(expected: Expected): void {
    this.#expected = expected
  }

  /** Resolves with the first verified webhook that matches, whether it was received already or arrives later. */
  received(isWanted: IsWanted): Promise<VerifiedWebhook> {
    const already = this.#seen.find(isWanted)
    return already === undefined
      ? new Promise((resolve) => this.#waiting.set(isWanted, resolve))
      : Promise.resolve(already)
  }

  /** Returns the status of the reply. */
  #take(headers: IncomingMessage['headers'], body: string): number {
    const expected = this.#expected
    if (expected === null) return 503
    if (!verify(expected.secret, headers, body)) {
      if (headers['webhook-signature'] !== undefined) expected.onForeign()
      return 401
    }
    const webhook = envelope.parse(JSON.parse(body))
    this.#seen.push(webhook)
    expected.onWebhook(webhook)
    for (const [isWanted, resolve] of this.#waiting) if (isWanted(webhook)) resolve(webhook)
    return 204
  }
}

/**
 * Verifies a signature of Standard Webhooks: an HMAC of `id.timestamp.body` under the endpoint's secret. One of the
 * signatures must match.
 */
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
