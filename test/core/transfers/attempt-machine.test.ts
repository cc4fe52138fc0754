import { describe, expect, test } from 'vitest'
import { makeBlockhash } from '#core/chain/base58.ts'
import type { Blockhash, NonceLifetime, SignatureStatus } from '#core/chain/types.ts'
import { mayBeTooLate, type NextStep, nextCheck, nextStep } from '#core/transfers/attempt-machine.ts'
import { type Attempt, LIVE_ATTEMPT_STATES } from '#core/transfers/transfer.ts'
import { addressNo, attemptFor, sweepOf } from '../../support/payment.ts'

const LAST_VALID = 1_150n
const live = (state: Attempt['state']) => attemptFor(sweepOf(), { state })
const status = (level: SignatureStatus['level'], error: string | null = null): SignatureStatus => ({
  slot: 1n,
  level,
  error,
  newestSlot: 2n,
  doubt: null,
})
const step = (
  attempt: Attempt | null,
  seen: SignatureStatus | null,
  blockHeight: bigint | null = LAST_VALID,
  commitment: 'confirmed' | 'finalized' = 'finalized',
): NextStep['do'] => nextStep(attempt, seen, { blockHeight, commitment, nonces: new Map() }).do

const NONCE: NonceLifetime = {
  kind: 'nonce',
  nonce: makeBlockhash(addressNo(1)),
  account: addressNo(2),
  slot: 5n,
  authority: { address: addressNo(4), key: { network: 'live', branch: 'nonce_authority' } },
}
const withNonce = (present: Blockhash | null | undefined): NextStep['do'] => {
  const nonces = new Map(present === undefined ? [] : [[NONCE.account, present]])
  const attempt = attemptFor(sweepOf(), { state: 'sent', lifetime: NONCE })
  return nextStep(attempt, null, { blockHeight: 10n ** 9n, commitment: 'finalized', nonces }).do
}

const SENT_STATES = LIVE_ATTEMPT_STATES.filter((state) => state !== 'prepared')

describe('the next step of an obligation', () => {
  test('without an attempt that could land is to make one', () => {
    expect(step(null, null)).toBe('prepare')
  })

  test('with one that is stored but not signed is to sign that very one, however late', () => {
    expect(step(live('prepared'), null)).toBe('sign')
    expect(step(live('prepared'), null, LAST_VALID + 999n)).toBe('sign')
  })

  test.each(SENT_STATES)('%s and not seen: the same bytes once more, while they can land', (state) => {
    expect(step(live(state), null, 0n)).toBe('broadcast')
    expect(step(live(state), null, LAST_VALID)).toBe('broadcast')
    expect(step(live(state), status('processed'), LAST_VALID)).toBe('broadcast')
  })

  test.each(SENT_STATES)('%s, not seen and too late to land: a proof, and no other attempt', (state) => {
    expect(step(live(state), null, LAST_VALID + 1n)).toBe('prove')
    expect(step(live(state), status('processed'), LAST_VALID + 1n)).toBe('prove')
  })

  test.each(SENT_STATES)('%s and confirmed is not final: it waits, in time or not, well or badly ended', (state) => {
    for (const height of [LAST_VALID, LAST_VALID + 999n]) {
      expect(step(live(state), status('confirmed'), height)).toBe('wait')
      expect(step(live(state), status('confirmed', 'InsufficientFundsForRent'), height)).toBe('wait')
    }
  })

  test.each(SENT_STATES)('%s and final is booked, well or badly ended', (state) => {
    expect(step(live(state), status('finalized'))).toBe('book')
    expect(step(live(state), status('finalized', 'InsufficientFundsForRent'), LAST_VALID + 999n)).toBe('book')
  })

  test('needs the block height only for an attempt that was sent and is not confirmed', () => {
    const levels = [null, 'processed', 'confirmed', 'finalized'] as const
    for (const attempt of [null, ...LIVE_ATTEMPT_STATES.map(live)]) {
      for (const level of levels) {
        const seen = level === null ? null : status(level)
        const depends = step(attempt, seen, 0n) !== step(attempt, seen, LAST_VALID + 1n)
        expect(mayBeTooLate(attempt, seen), `${attempt?.state} ${level}`).toBe(depends)
      }
    }
    expect(step(live('sent'), null, null), 'a height that is not known proves nothing').toBe('broadcast')
  })

  test('with a nonce that still has its value: the same bytes once more, whatever the block height', () => {
    expect(withNonce(NONCE.nonce)).toBe('broadcast')
    expect(withNonce(undefined), 'not asked for').toBe('broadcast')
  })

  test('with a nonce that was used or does not exist any more: a proof, and no other attempt', () => {
    expect(withNonce(makeBlockhash(addressNo(3)))).toBe('prove')
    expect(withNonce(null)).toBe('prove')
  })

  test('only a sandbox that acts on confirmed books what is merely confirmed', () => {
    expect(step(live('sent'), status('confirmed'), LAST_VALID, 'confirmed')).toBe('book')
    expect(step(live('sent'), status('processed'), LAST_VALID, 'confirmed')).toBe('broadcast')
  })
})

describe('the next check of an attempt that waits', () => {
  const SLOT_MS = 400
  const FINAL_UNDER = 32
  const SENT = Date.parse('2026-05-01T12:00:00.000Z')
  /** Returns the delay in milliseconds for an attempt that was sent `sinceSent` ago and is under so many slots. */
  const delay = (sinceSent: number, under: number, level: SignatureStatus['level'] = 'confirmed') => {
    const attempt = attemptFor(sweepOf(), { state: 'seen', sentAt: new Date(SENT) })
    const seen = { ...status(level), newestSlot: 1n + BigInt(under) }
    return nextCheck(attempt, seen, new Date(SENT + sinceSent)).getTime() - SENT - sinceSent
  }

  test('of a confirmed one is after two thirds of the time that its missing slots are expected to take', () => {
    expect(delay(2_000, 5), '27 slots of 400 ms are missing').toBe(8_000)
    expect(delay(6_000, 15), '17 slots of 400 ms').toBe(4_000)
    expect(delay(10_000, 25), '7 slots of 400 ms').toBe(2_000)
    expect(delay(80_000, 4), 'a slow chain').toBe(8_000)
    expect(delay(2_000, 31), 'a fast one').toBe(2_000)
  })

  test('is two seconds later for one that may be final already, and for one that may vanish', () => {
    for (const under of [32, 33, 5_000]) expect(delay(40_000, under)).toBe(2_000)
    for (const level of ['processed', 'finalized'] as const) expect(delay(2_000, 4, level)).toBe(2_000)
    const now = new Date(SENT)
    const soon = new Date(SENT + 2_000)
    expect(nextCheck(live('sent'), null, now), 'no provider has seen it').toEqual(soon)
    expect(nextCheck(null, null, now), 'no attempt').toEqual(soon)
    expect(nextCheck(attemptFor(sweepOf(), { sentAt: null }), status('confirmed'), now), 'never noted as sent').toEqual(
      soon,
    )
    expect(delay(2_000, 0), 'a provider behind the transaction').toBe(2_000)
    expect(delay(-5_000, 4), 'a clock that was set back').toBe(1_000)
  })

  test('is a multiple of two seconds, so that one call checks many', () => {
    for (let sinceSent = 0; sinceSent < 14_000; sinceSent += 130) {
      const wait = delay(sinceSent, Math.floor(sinceSent / SLOT_MS))
      expect((SENT + sinceSent + wait) % 2_000).toBe(0)
      expect(wait).toBeGreaterThanOrEqual(1_000)
      expect(wait).toBeLessThanOrEqual(9_000)
    }
  })

  test.each([400, 1_000, 2_000, 6_000, 10_000])(
    'notices within 3 s what lands after %i ms, with few checks',
    (landing) => {
      const final = landing + FINAL_UNDER * SLOT_MS
      const checks = [Math.ceil(landing / 2_000 + 0.1) * 2_000]
      for (let sinceSent = checks[0] ?? 0; sinceSent < final; checks.push(sinceSent)) {
        sinceSent += delay(sinceSent, Math.floor((sinceSent - landing) / SLOT_MS))
      }
      expect(checks.at(-1)).toBeLessThanOrEqual(final + 3_000)
      expect(checks.length, 'every two seconds it would be seven').toBeLessThanOrEqual(4)
    },
  )
})
