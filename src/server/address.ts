// The client address of a request. Behind the operator's own proxy it is the last entry of that proxy's header; the
// client can forge the entries before it.
import type { IncomingMessage } from 'node:http'
import { readAddress } from '#core/network/ip-address.ts'

/** Returns the whole address. An entry of a proxy's header that is no address is ignored. */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, trustProxy: boolean) {
  const forwarded = trustProxy ? String(headers['x-forwarded-for'] ?? '') : ''
  const last = forwarded.slice(forwarded.lastIndexOf(',') + 1)
  const { remoteAddress = '' } = socket
  return readAddress(last) ?? readAddress(remoteAddress) ?? remoteAddress
}
