import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { SUBSCRIPTION_FIELDS } from '#core/billing/subscription.ts'
import { record } from '#core/codec.ts'
import {
  MAX_OLD_SECRETS,
  oldSecretsUntil,
  ROTATION_OVERLAP_MS,
  rotate,
  signingVersions,
  type WebhookSecretState,
} from '#core/events/endpoint.ts'
import { renderEnvelope, type StoredEvent } from '#core/events/envelope.ts'
import {
  judgeAttempt,
  MAX_DELIVERY_ATTEMPTS,
  RETRY_DELAYS_MS,
  type WebhookAnswer,
} from '#core/events/retry-schedule.ts'
import { API_VERSION, registerEventSubjects } from '#core/events/subjects.ts'
import { intentEventData } from '#core/payments/payload.ts'
import { intentToJson } from '#core/payments/payment-intent.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { SubscriptionWorld } from '../../support/subscription-world.ts'

describe('an event', () => {
  const event: StoredEvent = {
    id: '0d9a4a3e-5b63-4c8c-8d43-5f7c1f0a9b11',
    type: 'intent.created',
    subjectKind: 'payment',
    network: 'live',
    createdAt: new Date('2026-11-20T12:00:00.250Z'),
    data: intentToJson(pendingIntent),
    account: { id: pendingIntent.accountId, name: 'Corner Shop', isSeller: false, externalId: null },
  }

  const render = (one: StoredEvent) => renderEnvelope(one, EVENT_SUBJECTS, 'solana:mainnet')

  test('an envelope says what happened, when, to whom, and carries the rendered snapshot', () => {
    expect(render(event)).toEqual({
      id: '0d9a4a3e-5b63-4c8c-8d43-5f7c1f0a9b11',
      type: 'intent.created',
      timestamp: '2026-11-20T12:00:00.250Z',
      api_version: API_VERSION,
      livemode: true,
      account: { id: pendingIntent.accountId, name: 'Corner Shop', is_seller: false, external_id: null },
      data: intentEventData(pendingIntent),
    })
  })

  test('a test account is not livemode', () => {
    expect(render({ ...event, network: 'test' }).livemode).toBe(false)
  })

  test("a seller's event says so, with the name that the marketplace gave it", () => {
    const account = { id: 'a', name: 'Potter', isSeller: true, externalId: 'seller-7' }
    expect(render({ ...event, account }).account).toEqual({
      id: 'a',
      name: 'Potter',
      is_seller: true,
      external_id: 'seller-7',
    })
  })

  /** A snapshot of each other subject, by the first word of its types. */
  const BILLED = SubscriptionWorld.active()
  const ABOUT: Readonly<Record<string, { readonly subjectKind: string; readonly data: unknown }>> = {
    webhook: { subjectKind: 'account', data: {} },
    business: {
      subjectKind: 'payout',
      data: {
        before: null,
        after: pendingIntent.address,
        effectiveAt: null,
        actor: { kind: 'operator', credential: null, ip: '192.0.2.1' },
      },
    },
    subscription: { subjectKind: 'subscription', data: record(SUBSCRIPTION_FIELDS).write(BILLED.subscription) },
    charge: { subjectKind: 'charge', data: record(CHARGE_FIELDS).write(BILLED.latest) },
  }

  test.each(EVENT_SUBJECTS.types)('%s can be rendered', (type) => {
    const [subjectKind = ''] = type.split('.')
    const about = ABOUT[subjectKind] ?? {}
    expect(render({ ...event, type, ...about })).toMatchObject({ type, data: expect.any(Object) })
  })

  test.each([
    ['an unknown type', { ...event, type: 'moon.landed' }],
    ['a type of another subject', { ...event, subjectKind: 'account' }],
    ['an unknown subject', { ...event, subjectKind: 'moon' }],
    ['a snapshot of another shape', { ...event, data: { hello: 'world' } }],
  ])('%s is refused rather than guessed', (_, broken) => {
    expect(() => render(broken)).toThrow(RangeError)
  })

  test('two subjects cannot have one name, nor one type', () => {
    const moon = { kind: 'moon', types: ['moon.landed'], render: () => ({}) }
    expect(registerEventSubjects([moon]).types).toEqual(['moon.landed'])
    expect(() => registerEventSubjects([moon, { ...moon, types: ['moon.left'] }])).toThrow('one name')
    expect(() => registerEventSubjects([moon, { ...moon, kind: 'sun' }])).toThrow('one name')
  })
})

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

describe('a webhook secret', () => {
  const HOUR = 3_600_000
  const START = new Date('2026-11-20T12:00:00.000Z')
  const at = (ms: number) => new Date(START.getTime() + ms)
  const FIRST: WebhookSecretState = { version: 1, rotations: [] }

  /** The state after a rotation at each of these times. */
  const rotatedAt = (...times: readonly number[]): WebhookSecretState =>
    times.reduce((state, time) => {
      const next = rotate(state, at(time), false)
      if ('refused' in next) throw new Error('a rotation was refused')
      return next
    }, FIRST)

  test('that was never rotated signs alone', () => {
    expect(signingVersions(FIRST, START)).toEqual([1])
    expect(oldSecretsUntil(FIRST, START)).toEqual([])
  })

  test('signs next to the newer one for 24 hours after it was replaced, and not a moment longer', () => {
    expect(ROTATION_OVERLAP_MS).toBe(24 * HOUR)
    const state = rotatedAt(0)
    expect(signingVersions(state, START)).toEqual([2, 1])
    expect(signingVersions(state, at(24 * HOUR - 1))).toEqual([2, 1])
    expect(signingVersions(state, at(24 * HOUR))).toEqual([2])
  })

  test('that is in production goes on for its 24 hours however often it is rotated meanwhile', () => {
    const state = rotatedAt(0, HOUR, 2 * HOUR)
    expect(signingVersions(state, at(2 * HOUR))).toEqual([4, 3, 2, 1])
    expect(oldSecretsUntil(state, at(2 * HOUR))).toEqual([at(26 * HOUR), at(25 * HOUR), at(24 * HOUR)])
    expect(signingVersions(state, at(24 * HOUR))).toEqual([4, 3, 2])
    expect(signingVersions(state, at(25 * HOUR))).toEqual([4, 3])
    expect(signingVersions(state, at(26 * HOUR))).toEqual([4])
  })

  test('is not rotated while three older ones sign, because that would end one early', () => {
    expect(MAX_OLD_SECRETS).toBe(3)
    const state = rotatedAt(0, HOUR, 2 * HOUR)
    expect(rotate(state, at(24 * HOUR - 1), false)).toEqual({ refused: 'too_many_rotations' })
    const next = rotatedAt(0, HOUR, 2 * HOUR, 24 * HOUR)
    expect(signingVersions(next, at(24 * HOUR))).toEqual([5, 4, 3, 2])
  })

  test('that leaked ends at once when the older ones are revoked, also while a rotation would be refused', () => {
    const state = rotate(rotatedAt(0, HOUR, 2 * HOUR), at(3 * HOUR), true)
    expect(state).toEqual({ version: 5, rotations: [] })
  })
})
