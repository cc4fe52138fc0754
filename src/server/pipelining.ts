// Pipelined requests: RFC 9112, 9.3.2. Node passes on all requests that have arrived together, and keeps the replies in
// order.
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Handles the requests of one connection one after the other: each begins when the previous reply is sent. A client
 * that does not read has one waiting reply, however many requests it sends. Waiting requests are dropped when the
 * connection closes.
 */
export function inSequence(handler: RequestListener): RequestListener {
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
