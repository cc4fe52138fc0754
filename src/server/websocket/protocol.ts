// The messages of graphql-transport-ws.
import type { ExecutionResult, GraphQLError } from 'graphql'
import { type Message, type MessageType, validateMessage } from 'graphql-ws'
import type { WebSocket } from 'ws'
import { parseJson } from '#http/exact-json.ts'

/** A message to the client. */
export type Outgoing =
  | { readonly type: MessageType.ConnectionAck | MessageType.Pong }
  | { readonly type: MessageType.Next; readonly id: string; readonly payload: ExecutionResult }
  | { readonly type: MessageType.Error; readonly id: string; readonly payload: readonly GraphQLError[] }
  | { readonly type: MessageType.Complete; readonly id: string }

const MAX_ID_LENGTH = 128

/** Reads a message of the client, and a number that a double would round as NaN. */
export function readMessage(bytes: Buffer): Message | 'invalid_message' {
  try {
    const message = validateMessage(parseJson(bytes.toString()))
    return 'id' in message && message.id.length > MAX_ID_LENGTH ? 'invalid_message' : message
  } catch {
    return 'invalid_message'
  }
}

// Finds dead peers: each ping contains a random text that only a peer that read it can return.

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
