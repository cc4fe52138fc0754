// Judges the URL of a webhook. Names are judged when a webhook is sent, by the address that they resolve to.
import { parseIpv4, parseIpv6 } from '#core/network/ip-address.ts'

// Judges to which internet addresses a webhook may be sent: public unicast ones only.

/** IPv4 ranges that are not the public internet (IANA special-purpose registry). */
const SPECIAL_IPV4: readonly (readonly [network: string, prefixLength: number])[] = [
  ['0.0.0.0', 8], // "this network"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT, and the metadata service of one cloud
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // the host's own services on one cloud, at an otherwise public address
  ['169.254.0.0', 16], // link-local, and the metadata service of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/** Ranges within 2000::/3, the only public unicast block of IPv6, that are not public or contain an IPv4 address. */
const SPECIAL_IPV6: readonly (readonly [network: string, prefixLength: number])[] = [
  ['2001::', 23], // protocol assignments, Teredo among them
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
]

/** Returns false for everything that is not an address in plain notation, a name or a zone id included. */
export function isPublicAddress(address: string): boolean {
  const v4 = parseIpv4(address)
  if (v4 !== null) return !SPECIAL_IPV4.some((range) => contains(range, v4, parseIpv4, 32))
  const v6 = parseIpv6(address)
  if (v6 === null) return false
  return (
    contains(['2000::', 3], v6, parseIpv6, 128) && !SPECIAL_IPV6.some((range) => contains(range, v6, parseIpv6, 128))
  )
}

type Parse = (text: string) => bigint | null

function contains(
  [network, prefixLength]: readonly [string, number],
  address: bigint,
  parse: Parse,
  bits: number,
): boolean {
  const start = parse(network)
  const shift = BigInt(bits - prefixLength)
  return start !== null && start >> shift === address >> shift
}

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
