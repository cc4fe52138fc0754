// Verifies webhooks, as Standard Webhooks say.
import { Webhook } from 'standardwebhooks'
import { SolanaPaymentsError } from './errors.ts'
import { parseExact } from './exact-json.ts'
import type { Event } from './generated/api.ts'

/** The headers of a request, of `fetch` or of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Returns the event of a webhook. `body` is what arrived, before anything parsed it. Throws a SolanaPaymentsError with the code
 * `invalid_webhook` when no signature is of the secret, or the message is older than five minutes.
 */
export function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, secret: string): Event {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const given = headers instanceof Headers ? Object.fromEntries(headers) : headers
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  try {
    new Webhook(secret).verify(text, Object.fromEntries(names.map((name) => [name, String(given[name] ?? '')])))
  } catch (cause) {
    throw new SolanaPaymentsError(`the webhook is refused: ${cause instanceof Error ? cause.message : cause}`, {
      code: 'invalid_webhook',
      cause,
    })
  }
  return parseExact(text)
}
