// A stranger who keeps sending dust: at any rhythm, final money moves within a limited number of steps.

import { describe, expect, test } from 'vitest'
import { SOL } from '#core/chain/types.ts'
import { bookDusty } from '#core/payments/booking/set-aside.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import { decideDeposits, decideFinality } from '#core/payments/machine/deposits.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import type { PaymentTransfer } from '#core/payments/transfers.ts'

import {
  addressNo,
  afterwards,
  apply,
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  factsWith,
  intentWith,
  later,
  observedDeposit,
  RENT,
  units,
} from '../../../support/payment.ts'

const PRICE = 10_000_000n
const STRANGER = addressNo(77)
const FINAL_AFTER_S = 13

const dustNo = (number: number, amount: bigint) =>
  observedDeposit(number, amount, { senders: [{ address: STRANGER, amount: units(amount) }] })

/** Sends dust of one lamport at an interval, each final 13 seconds later, until a condition is true. */
function underDust(
  start: IntentFacts,
  everySeconds: number,
  until: (facts: IntentFacts) => boolean,
): { readonly facts: IntentFacts; readonly seconds: number } {
  let facts = start
  const finalAt = new Map<string, number>(facts.deposits.map(({ signature }) => [signature, FINAL_AFTER_S]))
  let number = 100
  for (let seconds = 1; seconds <= 600; seconds += 1) {
    const now = later(seconds)
    if (seconds % everySeconds === 0) {
      number += 1
      const seen = dustNo(number, 1n)
      finalAt.set(seen.signature, seconds + FINAL_AFTER_S)
      facts = apply(facts, decideDeposits(facts, [seen], null, context({ now })))
    }
    const final = facts.deposits.filter(
      (one) => one.state === 'confirmed' && (finalAt.get(one.signature) ?? 0) <= seconds,
    )
    const settled = final.map((one) => ({ deposit: one, state: 'final' as const }))
    facts = apply(facts, decideFinality(facts, settled, context({ now })))
    if (until(facts)) return { facts, seconds }
  }
  return { facts, seconds: Number.POSITIVE_INFINITY }
}

const planned = (facts: IntentFacts, kind: PaymentTransfer['kind']) =>
  facts.transfers.filter((one) => one.kind === kind)

describe('one lamport every ten seconds', () => {
  const paid = factsWith(intentWith({ status: 'paid', selection: choice(SOL, PRICE), received: units(PRICE) }), {
    deposits: [deposit(1, PRICE)],
  })

  test('does not delay a settlement: it starts when the final deposits cover the price', () => {
    const { facts, seconds } = underDust(paid, 10, ({ intent }) => intent.status === 'settling')
    expect(seconds).toBe(FINAL_AFTER_S)
    // The lamport that is not final cannot make the sweep fail, and no longer counts towards the price.
    expect(planned(facts, 'sweep').map(({ legs }) => legs[0]?.amount)).toEqual([PRICE - 5_000n - RENT, RENT])
    expect(facts.intent.received).toBe(PRICE)
    expect(facts.intent.latePayments).toHaveLength(1)
  })

  test('delays a refund by a minute at most', () => {
    const refunding = factsWith(
      intentWith({ status: 'refunding', selection: choice(SOL, PRICE * 2n), received: units(PRICE) }),
      { deposits: [deposit(1, PRICE)] },
    )
    const { facts, seconds } = underDust(refunding, 10, (now) => planned(now, 'refund').length > 0)
    expect(seconds).toBeLessThanOrEqual(70)
    const [refund] = planned(facts, 'refund')
    const left = facts.deposits.reduce((sum, { amount }) => sum + amount, 0n)
    const taken = refund?.legs.reduce((sum, { amount }) => sum + amount, 0n) ?? 0n
    expect(left - taken).toBeGreaterThanOrEqual(RENT)
  })

  test('delays POST /sweep of an underpayment by a minute at most', () => {
    const underpaid = factsWith(
      intentWith({ status: 'underpaid', selection: choice(SOL, PRICE * 2n), received: units(PRICE) }),
      { deposits: [deposit(1, PRICE)] },
    )
    const { facts } = underDust(underpaid, 10, ({ deposits }) => deposits.length > 8)
    const change = changeOf(decideSweep(facts, context({ now: later(90) })))
    expect(eventsOf(change)[0]).toBe('intent.settling')
    expect(change.transfers).toHaveLength(2)
    const final = facts.deposits.filter(({ state }) => state === 'final')
    expect(change.after.received).toBe(final.reduce((sum, { amount }) => sum + amount, 0n))
  })
})

test('two lamports a second while settling withdraw the sweep once only', () => {
  let facts = factsWith(intentWith({ status: 'paid', selection: choice(SOL, PRICE), received: units(PRICE) }), {
    deposits: [deposit(1, PRICE)],
  })
  const { deposits } = facts
  facts = apply(
    facts,
    decideFinality(
      facts,
      deposits.map((one) => ({ deposit: one, state: 'final' as const })),
      context(),
    ),
  )
  let withdrawals = 0
  for (let second = 1; second <= 30; second += 1) {
    const now = later(second)
    facts = apply(facts, decideDeposits(facts, [dustNo(200 + second, 2n)], null, context({ now })))
    const sweep = facts.transfers.find(({ portion, status }) => status === 'in_progress' && portion !== 'rent_reserve')
    if (sweep === undefined) throw new Error('no sweep is under way')
    const legs = sweep.legs.reduce((sum, { amount }) => sum + amount, 0n)
    const balance = facts.deposits.reduce((sum, { amount }) => sum + amount, 0n)
    // The chain would refuse it: the rest would be between zero and the rent minimum.
    if (balance - legs >= RENT) continue
    const transfer = { ...sweep, attemptCount: 0 }
    const known = { ...facts, transfers: facts.transfers.map((one) => (one.id === sweep.id ? transfer : one)) }
    const change = bookDusty({ facts: known, transfer, context: context({ now }) }, { fence: 1n }, 'Dust arrived.')
    if (change === null) continue
    withdrawals += 1
    facts = afterwards(known, change)
  }
  expect(withdrawals).toBe(1)
})
