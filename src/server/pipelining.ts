// Pipelined requests: RFC 9112, 9.3.2. Node hands over all that arrived at once, and keeps the replies in order.
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Handles the requests of one connection one after the other: each begins when the reply before it is over. So a client
 * that does not read has one reply waiting for it, however many requests it sends. What it asked for is dropped when its
 * connection is gone.
 */
export function oneAfterTheOther(handler: RequestListener): RequestListener {
  const newest = new WeakMap<Socket, ServerResponse>()
  return (request, response) => {
    const before = newest.get(request.socket)
    newest.set(request.socket, response)
    if (before === undefined || before.closed) return handler(request, response)
    before.once('close', () => {
      if (!response.closed && !request.socket.destroyed) handler(request, response)
    })
  }
}
