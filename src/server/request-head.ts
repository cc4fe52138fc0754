// The head of a request, checked once for every route and upgrade: RFC 9110, 7.1 and 7.2, and RFC 9112, 3.2.
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

type Head = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>

/** The target as a path with its query, or the fault of the head: a text for the client, with the status 400. */
export type JudgedHead = { readonly path: string } | { readonly fault: string }

/** Replaces the Host that a client sent: yoga builds a URL from it, and throws when it cannot. */
const OWN_HOST = 'localhost'

const faults = new WeakMap<IncomingMessage, string>()

/**
 * Rewrites the target of a request to a path with its query, and its Host to a fixed name. Records an invalid head for
 * `headFault`, and sets its target to `/`, which every router can read. Idempotent.
 */
export function readHead(request: IncomingMessage): void {
  const judged = judgeHead(request)
  if ('fault' in judged) faults.set(request, judged.fault)
  request.url = 'fault' in judged ? '/' : judged.path
  request.headers.host = OWN_HOST
}

/** Returns the fault that `readHead` found; null where the head is valid. */
export const headFault = (request: IncomingMessage): string | null => faults.get(request) ?? null

export function judgeHead({ method, url = '', httpVersion, rawHeaders }: Head): JudgedHead {
  const fault = hostFault(hostsIn(rawHeaders), httpVersion)
  return fault === null ? judgeTarget(method, url) : { fault }
}

/** Returns the Host that a client sent: null without one. */
export const sentHost = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | null =>
  hostsIn(rawHeaders)[0] ?? null

function hostsIn(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  return hosts
}

function hostFault(hosts: readonly string[], httpVersion: string): string | null {
  const [host] = hosts
  if (host === undefined) return httpVersion === '1.1' ? 'the Host header is missing' : null
  if (hosts.length > 1) return 'there is more than one Host header'
  return isHost(host) ? null : 'the Host header is not valid'
}

const HOST = /^(?:[\w.-]{1,255}|\[([\d.:a-f]{2,45})\])(?::(\d{0,5}))?$/i
const MAX_PORT = 65_535

/** Returns true for a name, an IPv4 address or an IPv6 address in brackets, with or without a port. */
export function isHost(text: string): boolean {
  const match = HOST.exec(text)
  if (match === null) return false
  const [, ipv6, port] = match
  return (ipv6 === undefined || isIPv6(ipv6)) && Number(port ?? 0) <= MAX_PORT
}

const ABSOLUTE = /^https?:\/\/([^/?]*)(.*)$/i

function judgeTarget(method: string | undefined, url: string): JudgedHead {
  if (url === '*' && method === 'OPTIONS') return { path: url }
  if (url.includes('#') || !isDecodable(url)) return { fault: 'the request target is not valid' }
  if (url.startsWith('/')) return { path: url }
  const [, authority, rest = ''] = ABSOLUTE.exec(url) ?? []
  if (authority === undefined || !isHost(authority)) return { fault: 'the request target is not valid' }
  return { path: rest.startsWith('/') ? rest : `/${rest}` }
}

/**
 * Returns true when every percent sign of the path begins an encoded byte and the bytes are UTF-8. The endpoint reads
 * the query.
 */
function isDecodable(url: string): boolean {
  const [path = ''] = url.split('?', 1)
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
