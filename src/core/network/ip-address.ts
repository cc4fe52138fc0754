// IP addresses as they are written, compared and counted.

/** A byte in decimal, without leading zeros. */
const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const FOUR_BYTES = `${BYTE}(?:\\.${BYTE}){3}`
const IPV4 = new RegExp(`^${FOUR_BYTES}$`)

/**
 * Returns the address that a text names, in one spelling: without port, brackets and zone, and an IPv4 address that is
 * written in IPv6 as IPv4. Returns null for a text that is no address.
 */
export function readAddress(text: string): string | null {
  const usual = USUAL_IPV4.exec(text)?.[1]
  if (usual !== undefined) return usual
  const bare = withoutPort(text.trim()).replace(/%.*$/s, '')
  const v4 = parseIpv4(bare)
  if (v4 !== null) return formatIpv4(v4)
  const v6 = parseIpv6(bare)
  if (v6 === null) return null
  const within = ipv4Within(v6)
  return within === null ? shorten(formatGroups(v6, 8)) : formatIpv4(within)
}

/** IPv4 in its usual spelling, also as a socket of both versions shows it. Almost every request comes from such an address. */
const USUAL_IPV4 = new RegExp(`^(?:::ffff:)?(${FOUR_BYTES})$`)

/** Returns what an address is counted as: itself for IPv4, and the /64 that one subscriber has for IPv6. */
export function countedAs(address: string): string {
  if (!address.includes(':')) return address
  const v6 = parseIpv6(address)
  return v6 === null ? address : `${formatGroups(v6 >> 64n, 4)}::/64`
}

/** `[::1]:80`, `[::1]` and `10.0.0.1:80`. What is not in brackets and has more colons is IPv6 without a port. */
const withoutPort = (text: string): string =>
  /^\[(.*)\](?::\d*)?$/s.exec(text)?.[1] ?? /^([^:]*):\d*$/s.exec(text)?.[1] ?? text

/** IPv4-mapped addresses (RFC 4291, 2.5.5.2), and those that a translator gives to IPv4 clients (RFC 6052, 2.1). */
const IPV4_PREFIXES: readonly bigint[] = [0xffffn, 0x64_ff9b_0000_0000_0000_0000n]

const ipv4Within = (v6: bigint): bigint | null => (IPV4_PREFIXES.includes(v6 >> 32n) ? v6 & 0xffff_ffffn : null)

const formatIpv4 = (v4: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (v4 >> shift) & 0xffn).join('.')

const formatGroups = (bits: bigint, groups: number): string =>
  Array.from({ length: groups }, (_, at) => ((bits >> BigInt(16 * (groups - 1 - at))) & 0xffffn).toString(16)).join(':')

/** Writes the longest run of zeros as `::`, the first of several: RFC 5952, 4.2. */
function shorten(groups: string): string {
  const runs = [...groups.matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)].map(([run]) => run)
  const [longest] = runs.sort((a, b) => b.split(':0').length - a.split(':0').length)
  return longest === undefined ? groups : groups.replace(longest, ':').replace(/^:(?!:)|:$/, '::')
}

/** Returns the 32 bits of an IPv4 address; null for anything else, such as `012.0.0.1`, which some programs read as octal. */
export const parseIpv4 = (text: string): bigint | null =>
  IPV4.test(text) ? join(text.split('.').map(Number), 8n) : null

/** Returns the 128 bits of an IPv6 address without a zone; null for anything else. */
export function parseIpv6(text: string): bigint | null {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0 || !text.includes(':')) return null
  const before = parseGroups(head)
  const after = tail === undefined ? [] : parseGroups(tail)
  if (before === null || after === null) return null
  const missing = 8 - before.length - after.length
  // "::" stands for at least one group, and without it there are exactly eight.
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  return join([...before, ...Array<number>(missing).fill(0), ...after], 16n)
}

/** Groups of hexadecimal digits between colons; the last may be an IPv4 address, which is two groups. */
function parseGroups(text: string): readonly number[] | null {
  if (text === '') return []
  const parts = text.split(':')
  const v4 = parseIpv4(parts.at(-1) ?? '')
  const hex = v4 === null ? parts : parts.slice(0, -1)
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return null
  const groups = hex.map((part) => Number.parseInt(part, 16))
  return v4 === null ? groups : [...groups, Number(v4 >> 16n), Number(v4 & 0xffffn)]
}

const join = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n)
