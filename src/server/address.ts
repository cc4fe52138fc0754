// Where a request comes from. Behind one's own proxy it is what that proxy wrote last; anything before it is hearsay.
import type { IncomingMessage } from 'node:http'
import { readAddress } from '#core/network/ip-address.ts'

/** Returns the whole address. What is no address in the header of a proxy counts as not written. */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, trustProxy: boolean) {
  const forwarded = trustProxy ? String(headers['x-forwarded-for'] ?? '') : ''
  const last = forwarded.slice(forwarded.lastIndexOf(',') + 1)
  const { remoteAddress = '' } = socket
  return readAddress(last) ?? readAddress(remoteAddress) ?? remoteAddress
}
