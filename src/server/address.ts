// Where a request comes from. Behind one's own proxy it is what that proxy wrote last; anything before it is hearsay.
import type { IncomingMessage } from 'node:http'

export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined
  const chain = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',')
  return chain.at(-1)?.trim() || (socket.remoteAddress ?? '')
}
