// Standard Webhooks 1.0: signs messages, and formats secrets for people.
import { createHmac } from 'node:crypto'

export type SignedHeaders = {
  readonly 'webhook-id': string
  /** Seconds since 1970 at which this attempt was signed. */
  readonly 'webhook-timestamp': string
  /** `v1,<base64>`, one for each secret, separated by a space. */
  readonly 'webhook-signature': string
}

/** Signs `id.timestamp.body` by HMAC-SHA256 with each secret; a receiver accepts any signature that matches. */
export function signWebhook(
  message: { readonly id: string; readonly body: string },
  secrets: readonly Uint8Array[],
  now: Date,
): SignedHeaders {
  const timestamp = Math.floor(now.getTime() / 1_000).toString()
  const signed = `${message.id}.${timestamp}.${message.body}`
  const signatures = secrets.map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

/** Returns the secret in the form for a business: `whsec_` and base64. */
export const formatWebhookSecret = (secret: Uint8Array): string => `whsec_${Buffer.from(secret).toString('base64')}`
