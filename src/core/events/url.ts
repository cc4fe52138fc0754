// Judges the URL of a webhook. Names are judged when a webhook is sent, by the address that they resolve to.
import { isPublicAddress } from '#core/events/public-address.ts'

export const MAX_WEBHOOK_URL_LENGTH = 2048

export type WebhookUrlRefusal = 'not_a_url' | 'too_long' | 'not_https' | 'has_credentials' | 'private_address'

/** Judges a URL. `allowPrivate` also allows plain http: both are for trying the service on one machine. */
export function judgeWebhookUrl(
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): { readonly url: URL } | { readonly refused: WebhookUrlRefusal } {
  if (text.length > MAX_WEBHOOK_URL_LENGTH) return { refused: 'too_long' }
  const url = URL.parse(text)
  if (url === null) return { refused: 'not_a_url' }
  // The form that is stored, which is judged again when a webhook is sent.
  if (url.href.length > MAX_WEBHOOK_URL_LENGTH) return { refused: 'too_long' }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return { refused: 'not_https' }
  if (url.username !== '' || url.password !== '') return { refused: 'has_credentials' }
  if (!allowPrivate && isPrivateHost(url.hostname)) return { refused: 'private_address' }
  return { url }
}

/** `URL` has already brought every spelling of an IPv4 address into four decimal numbers. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  const literal = host.startsWith('[') ? host.slice(1, -1) : /^[\d.]+$/.test(host) ? host : null
  return literal !== null && !isPublicAddress(literal)
}
