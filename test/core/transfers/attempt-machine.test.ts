import { describe, expect, test } from 'vitest'
import type { SignatureStatus } from '#core/chain/types.ts'
import {
  type Attempt,
  isOverdue,
  LIVE_ATTEMPT_STATES,
  type NextStep,
  nextCheck,
  nextStep,
} from '#core/transfers/transfer.ts'
import { attemptFor, later, sweepOf } from '../../support/payment.ts'

const LAST_VALID = 1_150n
const live = (state: Attempt['state']) => attemptFor(sweepOf(), { state })
const status = (final: boolean, error: string | null = null): SignatureStatus => ({
  slot: 1n,
  final,
  error,
  doubt: null,
})
/** Ten seconds after the attempt was sent, unless `now` is given. */
const step = (
  attempt: Attempt,
  known: SignatureStatus | null,
  { blockHeight = LAST_VALID, now = later(10) }: { blockHeight?: bigint | null; now?: Date } = {},
): NextStep => nextStep(attempt, known, { blockHeight }, now)

const SENT_STATES = LIVE_ATTEMPT_STATES.filter((state) => state !== 'prepared')

describe('the next step of a transaction that may land', () => {
  test.each(SENT_STATES)('%s and not known: the same bytes every two seconds, while they can land', (state) => {
    for (const blockHeight of [0n, LAST_VALID]) {
      expect(step(live(state), null, { blockHeight, now: later(1.999) })).toBe('wait')
      expect(step(live(state), null, { blockHeight, now: later(2) })).toBe('broadcast')
    }
    expect(step(live(state), null, { now: later(-2) }), 'another worker has another clock').toBe('broadcast')
  })

  test('signed and never noted as sent: the same bytes at once', () => {
    expect(step(attemptFor(sweepOf(), { state: 'signed', sentAt: null }), null, { now: later(0) })).toBe('broadcast')
  })

  test.each(SENT_STATES)('%s, not known and too late to land: a proof, and no other attempt', (state) => {
    expect(step(live(state), null, { blockHeight: LAST_VALID + 1n })).toBe('prove')
  })

  test.each(SENT_STATES)('%s and known but not final: it waits, in time or not, well or badly ended', (state) => {
    for (const blockHeight of [LAST_VALID, LAST_VALID + 999n]) {
      expect(step(live(state), status(false), { blockHeight })).toBe('wait')
      expect(step(live(state), status(false, 'InsufficientFundsForRent'), { blockHeight })).toBe('wait')
    }
  })

  test.each(SENT_STATES)('%s and final is booked, well or badly ended', (state) => {
    expect(step(live(state), status(true))).toBe('book')
    const blockHeight = LAST_VALID + 999n
    expect(step(live(state), status(true, 'InsufficientFundsForRent'), { blockHeight })).toBe('book')
  })

  test('needs the block height only for an attempt that is overdue', () => {
    for (const attempt of SENT_STATES.map(live)) {
      for (const known of [null, status(false), status(true)]) {
        for (const now of [later(0), later(10)]) {
          const stepAt = (blockHeight: bigint) => step(attempt, known, { blockHeight, now })
          const depends = stepAt(0n) !== stepAt(LAST_VALID + 1n)
          expect(isOverdue(attempt, known, now), `${attempt.state} ${known?.final}`).toBe(depends)
        }
      }
    }
    expect(step(live('sent'), null, { blockHeight: null }), 'a height that is not known proves nothing').toBe(
      'broadcast',
    )
  })
})

test('an attempt that waits is checked twice a second, and all of them at the same times', () => {
  for (let seconds = 0; seconds < 2; seconds += 0.13) {
    const check = nextCheck(later(seconds)).getTime()
    expect(check % 500).toBe(0)
    expect(check - later(seconds).getTime()).toBeGreaterThanOrEqual(250)
    expect(check - later(seconds).getTime()).toBeLessThanOrEqual(750)
  }
  expect(nextCheck(later(0.02)), 'after a check that began on time').toEqual(later(0.5))
})
