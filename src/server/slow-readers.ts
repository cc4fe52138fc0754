// Clients that do not take their reply: what waits for them is memory.
import type { RequestHandler } from 'express'

/**
 * Destroys the connection when a reply waits to be written and its client takes no byte for so long. A reply that waits
 * for its handler, or a stream that has nothing to say, goes on; so does one that is read slowly.
 */
export const endStalledReplies =
  (milliseconds: number): RequestHandler =>
  (_request, response, next) => {
    response.setTimeout(milliseconds, () => {
      const { socket } = response
      if (socket !== null && socket.writableLength > 0) socket.destroy()
    })
    next()
  }
