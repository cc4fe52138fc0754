// Finds dead peers: each ping contains a random text that only a peer that read it can return.
import type { WebSocket } from 'ws'

type Heartbeat = {
  readonly everyMs: number
  /** Returns a text that a client cannot guess. */
  readonly newNonce: () => string
  readonly onDead: () => void
}

/**
 * Pings the socket, and calls `onDead` when a ping is not answered before the next. Returns a function that stops the
 * pings.
 */
export function startHeartbeat(socket: WebSocket, { everyMs, newNonce, onDead }: Heartbeat): () => void {
  let unanswered: string | null = null
  socket.on('pong', (data) => {
    if (data.toString() === unanswered) unanswered = null
  })
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return
    if (unanswered !== null) return onDead()
    unanswered = newNonce()
    socket.ping(unanswered)
  }, everyMs)
  return () => clearInterval(timer)
}
