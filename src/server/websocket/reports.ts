// Logs and counts the websockets that the service refuses or ends.
import type { Logger } from '#server/log.ts'
import type { Metrics } from '#server/metrics.ts'
import { createRepeatedLines, DEFAULT_REPEATED_LINES } from '#server/repeated-lines.ts'
import { ENDING_REASONS, type EndingReason } from '#server/websocket/endings.ts'
import { type Refusal, STATUS_LINES } from '#server/websocket/handshake.ts'

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
      else lines.info(reason, { address, code: codeOf(cause) }, 'websocket ended')
    },
    close: () => lines.close(),
  }
}

/** Returns the code of an error of ws, such as WS_ERR_INVALID_UTF8. Its message and stack contain nothing more. */
const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
