// The client address of a request. Behind the operator's own proxy it is the last entry of that proxy's header; the
// client can forge the entries before it.
import type { IncomingMessage } from 'node:http'
import { readAddress } from '#core/network/ip-address.ts'

/** Returns the whole address. An entry of a proxy's header that is no address is ignored. */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, trustProxy: boolean) {
  const { remoteAddress = '' } = socket
  const forwarded = trustProxy ? readAddress(lastOf(headers['x-forwarded-for'])) : null
  return forwarded ?? readAddress(remoteAddress) ?? remoteAddress
}

function lastOf(forwarded: string | readonly string[] = ''): string {
  const list = String(forwarded)
  return list.slice(list.lastIndexOf(',') + 1)
}
