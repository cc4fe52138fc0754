// Clients that do not read their reply: a waiting reply takes memory.
import type { ServerResponse } from 'node:http'

/**
 * Destroys the connection when a reply waits to be written and its client reads no byte for this time. A reply that
 * waits for its handler, a silent stream, and a reply that is read slowly all continue.
 */
export function endWhenStalled(response: ServerResponse, milliseconds: number): void {
  response.setTimeout(milliseconds, () => {
    const { socket } = response
    if (socket !== null && socket.writableLength > 0) socket.destroy()
  })
}
