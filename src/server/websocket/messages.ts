// The messages of graphql-transport-ws.
import type { ExecutionResult, GraphQLError } from 'graphql'
import { type Message, type MessageType, validateMessage } from 'graphql-ws'
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
