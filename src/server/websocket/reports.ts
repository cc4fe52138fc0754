// Logs and counts the websockets that the service refuses or ends.
import { CloseCode } from 'graphql-ws'
import { codeOf } from '#lib/values.ts'
import type { Logger } from '#server/log.ts'
import type { Metrics } from '#server/metrics.ts'
import { createRepeatedLines, DEFAULT_REPEATED_LINES } from '#server/repeated-lines.ts'
import { type Refusal, STATUS_LINES } from './handshake.ts'

// Why the service ends a websocket: the close code and the reason that the client gets. A client that does not read
// cannot receive a close frame, so it is cut off without one.

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

const ENDING_REASONS: readonly EndingReason[] = Object.keys(ENDINGS).filter(isEndingReason)

export type Reports = {
  refused(refusal: Refusal, address: string, requestId: string): void
  ended(reason: EndingReason, address: string, cause?: unknown): void
  close(): void
}

export type ReportParts = {
  readonly metrics: Pick<Metrics, 'counter'>
  readonly log: Logger
  /** Receives a failure of the service itself. */
  readonly report: (error: unknown, requestId: string) => void
  readonly newId: () => string
}

export function createReports({ metrics, log, report, newId }: ReportParts): Reports {
  const lines = createRepeatedLines(log, DEFAULT_REPEATED_LINES)
  const refusals = metrics.counter(
    'websocket_refused_total',
    'Websocket handshakes refused, by status.',
    'status',
    Object.keys(STATUS_LINES),
  )
  const ends = metrics.counter(
    'websocket_ended_total',
    'Websockets that the service ended, by reason.',
    'reason',
    ENDING_REASONS,
  )
  return {
    refused({ status, error }, address, requestId) {
      refusals(String(status))
      lines.info(error, { requestId, status, address }, 'websocket refused')
    },
    ended(reason, address, cause) {
      ends(reason)
      if (reason === 'failure') report(cause, newId())
      // An error of ws has a code, such as WS_ERR_INVALID_UTF8. Its message and stack contain nothing more.
      else lines.info(reason, { address, code: codeOf(cause) }, 'websocket ended')
    },
    close: () => lines.close(),
  }
}
