// The error of every call that fails.
import type { ErrorCode } from './generated/api.ts'

/** The codes of failures that the client finds itself. */
export type ClientErrorCode =
  /** No answer came: the connection failed. */
  | 'connection_failed'
  /** No answer came in time. */
  | 'timed_out'
  /** An answer came that is not of the service, such as the page of a proxy. */
  | 'unreadable_answer'
  /** The payment ended in another status than the one that was waited for. */
  | 'payment_ended'
  /** A webhook is not signed with the secret, or too old. */
  | 'invalid_webhook'

type Details = {
  readonly status?: number
  readonly code: string
  readonly requestId?: string | null
  readonly retryAfter?: number | null
  readonly body?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A call that failed: a refusal of the service, or no answer of it. */
export class SolanaPaymentsError extends Error {
  override readonly name = 'SolanaPaymentsError'
  /** The HTTP status; 0 when no answer came. */
  readonly status: number
  /** What to branch on. The documentation of the service lists the codes. */
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  /** The id under which the log of the service has the request. */
  readonly requestId: string | null
  /** Seconds after which a repeat can succeed. */
  readonly retryAfter: number | null
  /** The whole answer, with what some refusals show next to their message, such as `field`. */
  readonly body: Readonly<Record<string, unknown>>

  constructor(message: string, { status = 0, code, requestId, retryAfter, body, cause }: Details) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.code = code
    this.requestId = requestId ?? null
    this.retryAfter = retryAfter ?? null
    this.body = body ?? {}
  }
}

/** Reads an answer that is not 2xx. */
export function refusalIn({ status, headers }: Response, text: string): SolanaPaymentsError {
  const body = objectIn(text)
  const message = typeof body.error === 'string' ? body.error : `the service answered ${status}`
  return new SolanaPaymentsError(message, {
    status,
    code: headers.get('error-code') ?? 'unreadable_answer',
    requestId: headers.get('x-request-id'),
    retryAfter: secondsIn(headers.get('retry-after')),
    body,
  })
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Reads `Retry-After`, which is a number of seconds, or a date from a proxy. */
function secondsIn(header: string | null): number | null {
  if (header === null) return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000))
}
