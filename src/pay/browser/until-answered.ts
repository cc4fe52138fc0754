// Requests whose answer may be lost. An answer that is not there says nothing: what was asked for may have happened.
import { AskError } from '#pay/browser/ask.ts'

const AGAIN_MS = 2_000

/** Whether it is unknown what became of a request. */
export const isUnanswered = (error: unknown): error is AskError =>
  error instanceof AskError && (error.code === 'no_answer' || error.code === 'internal_error')

/** The codes of refusals after which a repeat can succeed. */
const PASSING: ReadonlySet<string> = new Set(['chain_unavailable', 'rate_limited'])

type Options = {
  readonly onUnknown?: () => void
  /** Whether it is still to be repeated. */
  readonly goesOn?: () => boolean
}

/** Sends a request again until it is answered. Only for requests that a repeat does not harm. */
export async function untilAnswered<T>(
  request: () => Promise<T>,
  { onUnknown = () => {}, goesOn = () => true }: Options = {},
): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!isUnanswered(error) && !(error instanceof AskError && PASSING.has(error.code))) throw error
      if (!goesOn()) throw error
      onUnknown()
      await sleep(Math.max(AGAIN_MS, 1_000 * (error.retryAfterSeconds ?? 0)))
    }
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
