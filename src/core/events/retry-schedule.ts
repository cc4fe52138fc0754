// Decides what follows an attempt to deliver a webhook. docs/contract.md, "Delivery".

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds to wait after the first failed attempt, the second, and so on; the first attempt is made at once. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

/** Up to a tenth is added to each wait, so that deliveries that failed together are not repeated together. */
const JITTER = 0.1

/** The longest wait that a receiver can ask for. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR

/** The result of one attempt: an answer, or the reason why there was none. */
export type WebhookAnswer =
  | {
      readonly kind: 'answered'
      readonly statusCode: number
      /** By name, in lower case. */
      readonly headers: Readonly<Record<string, string>>
      /** The first 2 KB, as text. */
      readonly body: string
    }
  | { readonly kind: 'unanswered'; readonly reason: string }

export type DeliveryVerdict = {
  readonly statusCode: number | null
  /** For people; null on success. */
  readonly error: string | null
} & (
  | { readonly status: 'succeeded' }
  | { readonly status: 'pending'; readonly nextAttemptAt: Date }
  | { readonly status: 'failed'; readonly disablesEndpoint: boolean }
)

/**
 * Judges the result of an attempt. Only 2xx is success. A redirect is a failure, and 410 disables the endpoint.
 * `attempt` counts from 1 and includes the one just made. `fraction` is random, from 0 up to 1.
 */
export function judgeAttempt(
  answer: WebhookAnswer,
  { attempt, now, fraction }: { attempt: number; now: Date; fraction: number },
): DeliveryVerdict {
  const statusCode = answer.kind === 'answered' ? answer.statusCode : null
  if (statusCode !== null && statusCode >= 200 && statusCode <= 299) {
    return { status: 'succeeded', statusCode, error: null }
  }
  if (statusCode === 410) return { status: 'failed', disablesEndpoint: true, statusCode, error: explain(answer) }
  const delay = RETRY_DELAYS_MS[attempt - 1]
  if (delay === undefined) return { status: 'failed', disablesEndpoint: false, statusCode, error: explain(answer) }
  const asked = answer.kind === 'answered' ? askedWait(answer.headers['retry-after'], now) : 0
  const wait = Math.max(Math.floor(delay * (1 + JITTER * fraction)), asked)
  return { status: 'pending', nextAttemptAt: new Date(now.getTime() + wait), statusCode, error: explain(answer) }
}

/** Returns the milliseconds that a Retry-After header asks for (seconds or an HTTP date, RFC 9110, 10.2.3); 0 for none. */
function askedWait(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  const text = header.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER_MS)
}

function explain(answer: WebhookAnswer): string {
  if (answer.kind === 'unanswered') return answer.reason
  const { statusCode } = answer
  if (statusCode >= 300 && statusCode <= 399) return `answered ${statusCode}: redirects are not followed`
  if (statusCode === 410) return 'answered 410: the endpoint is gone and was disabled'
  return `answered ${statusCode}`
}
