// Why the service ends a websocket: the close code and the reason that the client gets. A client that does not read
// cannot receive a close frame, so it is cut off without one.
import { CloseCode } from 'graphql-ws'

type Ending = { readonly code: number; readonly reason: string } | 'cut off'

export const ENDINGS = {
  slow_reader: 'cut off',
  no_heartbeat: 'cut off',
  too_many_messages: { code: 4429, reason: 'too many messages' },
  too_much_before_ack: { code: 4429, reason: 'too many messages before connection_ack' },
  second_init: { code: CloseCode.TooManyInitialisationRequests, reason: 'too many initialisation requests' },
  init_timeout: { code: CloseCode.ConnectionInitialisationTimeout, reason: 'connection initialisation timeout' },
  idle: { code: CloseCode.ConnectionInitialisationTimeout, reason: 'no operation' },
  not_acknowledged: { code: CloseCode.Unauthorized, reason: 'send connection_init first' },
  wrong_credential: { code: CloseCode.Forbidden, reason: 'Forbidden' },
  /** Clients such as graphql-ws connect again after this code, and never after 4500. */
  unchecked_credential: { code: 1013, reason: 'try again later' },
  id_in_use: { code: CloseCode.SubscriberAlreadyExists, reason: 'an operation with this id is running' },
  invalid_message: { code: CloseCode.BadRequest, reason: 'invalid message' },
  binary_message: { code: 1003, reason: 'binary messages are not accepted' },
  /** A frame that breaks RFC 6455; ws closes the connection by itself. */
  broken_frame: 'cut off',
  failure: { code: CloseCode.InternalServerError, reason: 'internal error' },
  going_away: { code: 1001, reason: 'going away' },
} as const satisfies Record<string, Ending>

export type EndingReason = keyof typeof ENDINGS

const isEndingReason = (text: string): text is EndingReason => Object.hasOwn(ENDINGS, text)

export const ENDING_REASONS: readonly EndingReason[] = Object.keys(ENDINGS).filter(isEndingReason)
