import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  judgeAttempt,
  MAX_DELIVERY_ATTEMPTS,
  RETRY_DELAYS_MS,
  type WebhookAnswer,
} from '#core/events/retry-schedule.ts'

const now = new Date('2026-11-20T12:00:00.000Z')
const answered = (statusCode: number, retryAfter: string | null = null): WebhookAnswer => ({
  kind: 'answered',
  statusCode,
  headers: retryAfter === null ? {} : { 'retry-after': retryAfter },
  body: '',
})
const unanswered: WebhookAnswer = { kind: 'unanswered', reason: 'no answer within 15 s' }
const judge = (answer: WebhookAnswer, attempt = 1, fraction = 0) => judgeAttempt(answer, { attempt, now, fraction })

function waitAfter(answer: WebhookAnswer, attempt = 1, fraction = 0): number {
  const verdict = judge(answer, attempt, fraction)
  if (verdict.status !== 'pending') throw new Error(`expected another attempt, not ${verdict.status}`)
  return verdict.nextAttemptAt.getTime() - now.getTime()
}

describe('which answers count', () => {
  test.each([200, 201, 204, 299])('%i succeeds', (code) => {
    expect(judge(answered(code))).toEqual({ status: 'succeeded', statusCode: code, error: null })
  })

  test.each([100, 199, 300, 301, 307, 400, 404, 429, 500, 503])('%i is a failure and is tried again', (code) => {
    expect(judge(answered(code))).toMatchObject({ status: 'pending', statusCode: code })
  })

  test('a redirect says that it was not followed', () => {
    expect(judge(answered(302)).error).toBe('answered 302: redirects are not followed')
  })

  test('no answer is a failure that says why', () => {
    expect(judge(unanswered)).toMatchObject({ status: 'pending', statusCode: null, error: 'no answer within 15 s' })
  })

  test('410 ends the delivery at its first attempt and disables the endpoint', () => {
    expect(judge(answered(410))).toMatchObject({ status: 'failed', disablesEndpoint: true, statusCode: 410 })
  })
})

describe('when it is tried again', () => {
  test('the waits are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
    const waits = RETRY_DELAYS_MS.map((_, at) => waitAfter(unanswered, at + 1))
    const [s, min, h] = [1_000, 60_000, 3_600_000]
    expect(waits).toEqual([5 * s, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h])
  })

  test('after the tenth attempt it is given up, and the endpoint stays enabled', () => {
    expect(MAX_DELIVERY_ATTEMPTS).toBe(10)
    expect(judge(answered(500), 10)).toEqual({
      status: 'failed',
      disablesEndpoint: false,
      statusCode: 500,
      error: 'answered 500',
    })
    // A delivery that was sent again by hand after it had been given up gets its one attempt.
    expect(judge(answered(500), 11)).toMatchObject({ status: 'failed' })
  })

  test('jitter only ever adds, and at most a tenth', () => {
    const attempts = fc.integer({ min: 1, max: MAX_DELIVERY_ATTEMPTS - 1 })
    const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(attempts, fractions, (attempt, fraction) => {
        const base = waitAfter(unanswered, attempt, 0)
        const wait = waitAfter(unanswered, attempt, fraction)
        expect(wait).toBeGreaterThanOrEqual(base)
        expect(wait).toBeLessThanOrEqual(base * 1.1)
      }),
    )
    expect(waitAfter(unanswered, 2, 0.5)).toBe(315_000)
  })
})

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['Fri, 20 Nov 2026 12:01:30 GMT', 90_000],
  ])('%j is never undercut', (header, expected) => {
    expect(waitAfter(answered(429, header))).toBe(expected)
    expect(waitAfter(answered(503, header))).toBe(expected)
  })

  test.each(['0', '1', '-30', 'soon', '', 'Fri, 20 Nov 2026 11:00:00 GMT'])(
    '%j never shortens the schedule',
    (header) => {
      expect(waitAfter(answered(429, header))).toBe(5_000)
    },
  )

  test.each(['86401', '99999999999999999999', 'Fri, 20 Nov 2099 12:00:00 GMT'])('%j is bounded by a day', (header) => {
    expect(waitAfter(answered(429, header))).toBe(86_400_000)
  })

  test('the schedule stands where it asks for more than the receiver', () => {
    expect(waitAfter(answered(429, '60'), 4)).toBe(7_200_000)
  })
})
