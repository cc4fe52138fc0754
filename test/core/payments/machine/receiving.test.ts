// Deposits in any order and in any parts, and their effect on an intent.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/payments/machine/change.ts'
import { decideCancel, decideExpiry } from '#core/payments/machine/checkout.ts'
import {
  decideDeposits,
  decideFinality,
  MAX_DEPOSITS_PER_CHANGE,
  type ObservedDeposit,
  selectableAssets,
} from '#core/payments/machine/deposits.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import { custodianText, SENDER_UNKNOWN } from '#core/payments/returns/obstacle.ts'
import { messageOf } from '#core/payments/status-view.ts'
import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  afterwards,
  apply,
  BUYER,
  changeOf,
  choice,
  context,
  deposit,
  eventsOf,
  factsWith,
  intentWith,
  LARGEST_DUST,
  later,
  leg,
  NETWORK_FEE,
  NOW,
  OTHER_MINT,
  observedDeposit,
  signatureNo,
  sweepOf,
  UNKNOWN_MINT,
  units,
} from '../../../support/payment.ts'

const EXPECTED = 1_000n
const MORE_THAN_DUST = LARGEST_DUST + 1n
const awaitingSol = () => factsWith(intentWith({ selection: choice(SOL, EXPECTED), acceptedAssets: [SOL, MINT] }))
const take = (facts: IntentFacts, ...observed: ObservedDeposit[]) =>
  apply(facts, decideDeposits(facts, observed, null, context()))
const drop = (facts: IntentFacts, number: number) => {
  const dropped = facts.deposits.filter(({ signature }) => signature === signatureNo(number))
  return apply(
    facts,
    decideFinality(
      facts,
      dropped.map((one) => ({ deposit: one, state: 'dropped' as const })),
      context(),
    ),
  )
}

test('a deposit that a fork dropped is no longer received, whatever the status', () => {
  const facts = factsWith(
    intentWith({ status: 'refund_failed', selection: choice(MINT, 1_000n), received: units(5n) }),
    { deposits: [deposit(1, 5n, { asset: MINT })] },
  )
  const dropped = facts.deposits.map((one) => ({ deposit: one, state: 'dropped' as const }))
  expect(changeOf(decideFinality(facts, dropped, context())).after.received).toBe(0n)
})

describe('money of the selected asset', () => {
  test.each([
    [1n, 'underpaid'],
    [EXPECTED - 1n, 'underpaid'],
    [EXPECTED, 'paid'],
    [EXPECTED + 1n, 'overpaid'],
  ])('%d of 1000 makes a pending intent %s, with one event', (amount, status) => {
    const change = changeOf(decideDeposits(awaitingSol(), [observedDeposit(1, amount)], null, context()))
    expect(change.after).toMatchObject({ status, received: amount, refundSender: BUYER, updatedAt: NOW })
    expect(eventsOf(change)).toEqual([`intent.${status}`])
    expect(change.deposits).toMatchObject([{ use: 'applied', state: 'confirmed', seenAt: NOW }])
    expect(change).toMatchObject({ ledger: [], transfers: [], outcome: null })
  })

  test('in any order and any parts gives the same status, amount and refund sender', () => {
    const pieces = fc.array(
      fc.record({ amount: fc.bigInt({ min: 1n, max: 700n }), sender: fc.integer({ min: 1, max: 3 }) }),
      { minLength: 1, maxLength: 6 },
    )
    const arranged = pieces.chain((list) => {
      const deposits = list.map(({ amount, sender }, at) =>
        observedDeposit(at, amount, { senders: [{ address: addressNo(sender), amount: units(amount) }] }),
      )
      const order = fc.shuffledSubarray(deposits, { minLength: deposits.length, maxLength: deposits.length })
      return fc.tuple(fc.constant(deposits), order, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }))
    })
    fc.assert(
      fc.property(arranged, ([deposits, order, together]) => {
        const atOnce = take(awaitingSol(), ...deposits)
        let oneByOne = awaitingSol()
        let waiting: ObservedDeposit[] = []
        for (const [at, one] of order.entries()) {
          waiting.push(one)
          if (together[at] === true && at < order.length - 1) continue
          oneByOne = take(oneByOne, ...waiting)
          waiting = []
        }
        const { status, received, refundSender } = atOnce.intent
        expect(oneByOne.intent).toMatchObject({ status, received, refundSender })
        expect(received).toBe(deposits.reduce((sum, { amount }) => sum + amount, 0n))
      }),
    )
  })

  test('counts once, however often it is seen', () => {
    const once = take(awaitingSol(), observedDeposit(1, 400n))
    expect(decideDeposits(once, [observedDeposit(1, 400n)], null, context())).toEqual({ kind: 'unchanged' })
    const again = take(once, observedDeposit(1, 400n), observedDeposit(2, 100n))
    expect(again.intent.received).toBe(500n)
    expect(again.deposits).toHaveLength(2)
  })

  test('is distinguished by account and asset within one transaction', () => {
    const facts = factsWith(intentWith({ selection: choice(MINT, EXPECTED) }))
    const both = [
      observedDeposit(1, 300n, { asset: MINT, account: addressNo(1) }),
      observedDeposit(1, 200n, { asset: MINT, account: addressNo(2) }),
    ]
    expect(take(facts, ...both).intent.received).toBe(500n)
  })

  test('is recomputed from the deposits, whatever the stored figure says', () => {
    const facts = factsWith(
      intentWith({ selection: choice(SOL, EXPECTED), received: units(999n), status: 'underpaid' }),
    )
    expect(take(facts, observedDeposit(1, 250n)).intent).toMatchObject({ status: 'underpaid', received: 250n })
  })

  test('more money emits an event each time: on too little, on the exact price and on too much', () => {
    let facts = factsWith(intentWith({ selection: choice(SOL, 100_000n) }))
    const emitted: string[] = []
    for (const [at, amount] of [40_000n, 20_000n, 40_000n, 16_000n, 16_000n].entries()) {
      const change = changeOf(decideDeposits(facts, [observedDeposit(at, amount)], null, context()))
      emitted.push(...eventsOf(change))
      facts = afterwards(facts, change)
    }
    expect(emitted).toEqual([
      'intent.underpaid',
      'intent.underpaid',
      'intent.paid',
      'intent.overpaid',
      'intent.overpaid',
    ])
    expect(facts.intent.received).toBe(132_000n)
  })

  test('dust counts, and emits an event only when the status changes', () => {
    let facts = factsWith(intentWith({ selection: choice(SOL, 3n * NETWORK_FEE) }))
    const emitted = [1, 2, 3, 4, 5].map((at) => {
      const change = changeOf(decideDeposits(facts, [observedDeposit(at, NETWORK_FEE)], null, context()))
      facts = afterwards(facts, change)
      return eventsOf(change)
    })
    expect(emitted).toEqual([['intent.underpaid'], [], ['intent.paid'], ['intent.overpaid'], []])
    expect(facts.intent.received).toBe(5n * NETWORK_FEE)
  })

  test('names the sender of the largest part, and none when no sender is known', () => {
    const from = (sender: number, amount: bigint) => [{ address: addressNo(sender), amount: units(amount) }]
    let facts = take(awaitingSol(), observedDeposit(1, 100n, { senders: [] }))
    expect(facts.intent.refundSender).toBeNull()
    facts = take(facts, observedDeposit(2, 200n, { senders: from(1, 200n) }))
    facts = take(facts, observedDeposit(3, 150n, { senders: from(2, 150n) }))
    expect(facts.intent.refundSender).toBe(addressNo(1))
    facts = take(facts, observedDeposit(4, 100n, { senders: from(2, 100n) }))
    expect(facts.intent.refundSender).toBe(addressNo(2))
  })

  test('in excess names the receiver of the largest part of the excess, and none when no sender is known', () => {
    const from = (sender: number, amount: bigint) => [{ address: addressNo(sender), amount: units(amount) }]
    const part = take(awaitingSol(), observedDeposit(1, 990n, { senders: from(1, 990n) }))
    const over = take(part, observedDeposit(2, 40n, { senders: from(2, 40n) }))
    expect(over.intent).toMatchObject({ status: 'overpaid', refundSender: addressNo(2) })
    expect(take(over, observedDeposit(3, 50n, { senders: [] })).intent.refundSender).toBe(addressNo(2))
    expect(take(part, observedDeposit(3, 40n, { senders: [] })).intent.refundSender).toBeNull()
  })

  test('that lands before the end of the window but is seen after it still pays', () => {
    const facts = awaitingSol()
    const decision = decideDeposits(facts, [observedDeposit(1, EXPECTED)], null, context({ now: later(3_600) }))
    expect(changeOf(decision).after.status).toBe('paid')
  })

  describe('that lands after the end of the window, before the end is recorded', () => {
    const { expiresAt } = pendingIntent
    const tooLate = { blockTime: new Date(expiresAt.getTime() + 1_000) }
    const inTime = { blockTime: expiresAt }

    test('is late in any status, and goes back when the window is ended', () => {
      const facts = take(awaitingSol(), observedDeposit(1, MORE_THAN_DUST, tooLate))
      expect(facts.deposits).toMatchObject([{ use: 'late' }])
      expect(facts.intent).toMatchObject({ status: 'pending', received: 0n })
      expect(facts.intent.latePayments).toMatchObject([{ amount: MORE_THAN_DUST, status: 'pending' }])
      const change = changeOf(decideExpiry(facts, tooLate.blockTime, context()))
      expect(eventsOf(change)).toEqual(['intent.cancelled', 'intent.refunding'])
      expect(change.after).toMatchObject({ statusReason: null, refundSender: BUYER })
    })

    test('does not make an underpaid payment a paid one: all of it goes back', () => {
      const part = take(awaitingSol(), observedDeposit(1, 400n, inTime))
      const facts = take(part, observedDeposit(2, 600n, tooLate))
      expect(facts.intent).toMatchObject({ status: 'underpaid', received: 400n })
      expect(facts.deposits.map(({ use }) => use)).toEqual(['applied', 'late'])
      expect(changeOf(decideExpiry(facts, tooLate.blockTime, context())).after.status).toBe('refunding')
    })

    test('waits while an earlier deposit is seen later', () => {
      const late = take(awaitingSol(), observedDeposit(2, 600n, { ...tooLate, senders: [] }))
      const final = apply(
        late,
        decideFinality(
          late,
          late.deposits.map((one) => ({ deposit: one, state: 'final' as const })),
          context(),
        ),
      )
      expect(final.transfers).toEqual([])
      expect(take(final, observedDeposit(1, EXPECTED, inTime)).intent.status).toBe('paid')
    })

    test('adds to a payment that was complete in time: the excess goes back with its sweep', () => {
      const paid = take(awaitingSol(), observedDeposit(1, EXPECTED, inTime))
      expect(take(paid, observedDeposit(2, 5n, tooLate)).intent).toMatchObject({ status: 'overpaid' })
    })

    test('selects nothing for the buyer, and needs no rate', () => {
      const undecided = factsWith(intentWith({ acceptedAssets: [SOL, MINT] }))
      const observed = [observedDeposit(1, EXPECTED, { ...tooLate, asset: MINT })]
      expect(selectableAssets(undecided, observed)).toEqual([])
      const change = changeOf(decideDeposits(undecided, observed, null, context()))
      expect(change.deposits).toMatchObject([{ use: 'late' }])
      expect(change.transfers).toEqual([])
    })

    test('goes back when the business cancels before the window is ended', () => {
      const facts = take(awaitingSol(), observedDeposit(1, MORE_THAN_DUST, tooLate))
      expect(changeOf(decideCancel(facts, context())).after.status).toBe('refunding')
    })

    test.each([
      ['the window ends', (facts: IntentFacts) => decideExpiry(facts, tooLate.blockTime, context())],
      ['the business cancels', (facts: IntentFacts) => decideCancel(facts, context())],
    ])('and is dust changes no status when %s, also where other money of a stranger is held', (_, decide) => {
      const held = take(awaitingSol(), observedDeposit(1, 7_000_000n, { asset: MINT, senders: [] }))
      const facts = take(held, observedDeposit(2, 1n, tooLate))
      const change = changeOf(decide(facts))
      expect(eventsOf(change)).toEqual(['intent.cancelled'])
      expect(change.after).toMatchObject({ status: 'cancelled', refundSender: null })
    })
  })

  test('after the settlement began is late: it does not count, and is listed', () => {
    for (const status of ['settling', 'swept', 'settle_failed'] as const) {
      const facts = factsWith(intentWith({ status, selection: choice(SOL, EXPECTED), received: units(EXPECTED) }), {
        deposits: [deposit(1, EXPECTED, { state: 'final' })],
        transfers: [sweepOf({ status: 'done', legs: [leg('merchant', MERCHANT, EXPECTED)] })],
      })
      const change = changeOf(decideDeposits(facts, [observedDeposit(7, 70n)], null, context()))
      expect(change.deposits).toMatchObject([{ use: 'late' }])
      expect(change.after).toMatchObject({
        status,
        received: EXPECTED,
        latePayments: [{ mint: null, amount: 70n, status: 'pending', signature: signatureNo(7) }],
      })
      expect(eventsOf(change)).toEqual(['intent.late_payment'])
      expect(change.transfers).toEqual([])
    }
  })

  test('after the intent ended unpaid goes back, and the intent is refunding', () => {
    for (const status of ['cancelled', 'refunded'] as const) {
      const facts = factsWith(intentWith({ status, selection: choice(SOL, EXPECTED) }))
      const change = changeOf(decideDeposits(facts, [observedDeposit(7, MORE_THAN_DUST)], null, context()))
      expect(change.deposits).toMatchObject([{ use: 'late' }])
      expect(change.after.refundSender).toBe(BUYER)
      expect(eventsOf(change)).toEqual(['intent.refunding', 'intent.late_payment'])
    }
  })
})

describe('money of another asset', () => {
  test.each<[string, Asset, string]>([
    ['an accepted asset that was not selected', MINT, 'wrong_asset'],
    ['SOL, whether accepted or not', SOL, 'wrong_asset'],
    ['an allowed asset that the intent does not accept', OTHER_MINT, 'wrong_asset'],
  ])('%s is no payment', (_, asset, use) => {
    const selected = asset === MINT ? SOL : MINT
    const facts = factsWith(intentWith({ acceptedAssets: [selected, MINT], selection: choice(selected, EXPECTED) }))
    const change = changeOf(decideDeposits(facts, [observedDeposit(1, MORE_THAN_DUST, { asset })], null, context()))
    expect(change.deposits).toMatchObject([{ use, asset }])
    expect(change.after).toMatchObject({ status: 'pending', received: 0n, refundSender: null })
    expect(eventsOf(change)).toEqual(['intent.token_refund_updated'])
    expect(change.after.tokenRefunds).toHaveLength(1)
  })

  test('an asset that is not allowed is no deposit, whatever its amounts add up to', () => {
    const spam = [1, 2, 3].map((number) => observedDeposit(number, 2n ** 64n - 1n, { asset: UNKNOWN_MINT }))
    expect(decideDeposits(awaitingSol(), spam, null, context())).toEqual({ kind: 'unchanged' })
    const change = changeOf(decideDeposits(awaitingSol(), [...spam, observedDeposit(4, EXPECTED)], null, context()))
    expect(change.deposits).toMatchObject([{ asset: SOL }])
    expect(change.after).toMatchObject({ status: 'paid', held: [], tokenRefunds: [] })
  })

  test('one change stores a limited number of deposits, and the next change continues', () => {
    const many = Array.from({ length: MAX_DEPOSITS_PER_CHANGE + 1 }, (_, at) => observedDeposit(at, 1n))
    const facts = take(awaitingSol(), ...many)
    expect(facts.deposits).toHaveLength(MAX_DEPOSITS_PER_CHANGE)
    expect(take(facts, ...many).intent.received).toBe(BigInt(many.length))
  })

  test('an asset that was removed from the allowlist is no deposit, unless the intent accepts it', () => {
    const { tokens } = context()
    const disabled = new Map([...tokens].map(([asset, token]) => [asset, { ...token, enabled: false }] as const))
    const facts = factsWith(intentWith({ acceptedAssets: [SOL, MINT], selection: choice(SOL, EXPECTED) }))
    const observed = [observedDeposit(1, 10n, { asset: OTHER_MINT }), observedDeposit(2, 10n, { asset: MINT })]
    const change = changeOf(decideDeposits(facts, observed, null, context({ tokens: disabled })))
    expect(change.deposits).toMatchObject([{ asset: MINT, use: 'wrong_asset' }])
  })

  test('never counts towards the price, whatever its amount', () => {
    const facts = take(awaitingSol(), observedDeposit(1, 400n), observedDeposit(2, 10_000n, { asset: MINT }))
    expect(facts.intent).toMatchObject({ status: 'underpaid', received: 400n })
  })
})

describe('a payment before any selection', () => {
  const undecided = (acceptedAssets: readonly Asset[] = [SOL, MINT]) => factsWith(intentWith({ acceptedAssets }))

  test('may select an accepted asset, in the order of arrival', () => {
    const observed = [
      observedDeposit(1, 1n, { asset: UNKNOWN_MINT }),
      observedDeposit(2, 1n, { asset: MINT }),
      observedDeposit(3, 1n),
      observedDeposit(4, 1n, { asset: MINT }),
    ]
    expect(selectableAssets(undecided(), observed)).toEqual([MINT, SOL])
    expect(selectableAssets(undecided([SOL]), observed)).toEqual([SOL])
    expect(selectableAssets(undecided(), observed.slice(0, 1))).toEqual([])
  })

  test('selects nothing when an asset is selected, or the intent has ended', () => {
    const observed = [observedDeposit(1, 1n)]
    expect(selectableAssets(awaitingSol(), observed)).toEqual([])
    expect(selectableAssets(factsWith(intentWith({ status: 'cancelled' })), observed)).toEqual([])
  })

  test('selects for the buyer: the event of the selection comes first, then the event of the deposit', () => {
    const observed = [observedDeposit(1, 600n)]
    const change = changeOf(decideDeposits(undecided(), observed, choice(SOL, EXPECTED), context()))
    expect(eventsOf(change)).toEqual(['intent.token_selected', 'intent.underpaid'])
    expect(change.events[0]?.intent).toMatchObject({ status: 'pending', received: 0n, selection: { asset: SOL } })
    expect(change.after).toMatchObject({ status: 'underpaid', received: 600n, selection: choice(SOL, EXPECTED) })
    expect(change.deposits).toMatchObject([{ use: 'applied' }])
  })

  test('in a second asset is a wrong asset', () => {
    const observed = [observedDeposit(1, 600n), observedDeposit(2, 600n, { asset: MINT })]
    const change = changeOf(decideDeposits(undecided(), observed, choice(SOL, EXPECTED), context()))
    expect(change.deposits.map(({ use }) => use)).toEqual(['applied', 'wrong_asset'])
  })

  test('yields to a selection that was made in between', () => {
    const facts = factsWith(intentWith({ selection: choice(MINT, EXPECTED) }))
    const change = changeOf(decideDeposits(facts, [observedDeposit(1, 600n)], choice(SOL, EXPECTED), context()))
    expect(change.after.selection).toEqual(choice(MINT, EXPECTED))
    expect(change.deposits).toMatchObject([{ use: 'wrong_asset' }])
    expect(eventsOf(change)).not.toContain('intent.token_selected')
  })
})

describe('a deposit that a fork dropped', () => {
  test('reverts the status, the amount and the sender', () => {
    const paid = take(
      awaitingSol(),
      observedDeposit(1, 400n, { senders: [{ address: addressNo(1), amount: units(400n) }] }),
      observedDeposit(2, 600n, { senders: [{ address: addressNo(2), amount: units(600n) }] }),
    )
    expect(paid.intent).toMatchObject({ status: 'paid', refundSender: addressNo(2) })
    const under = drop(paid, 2)
    expect(under.intent).toMatchObject({ status: 'underpaid', received: 400n, refundSender: addressNo(1) })
    const nothing = drop(under, 1)
    expect(nothing.intent).toMatchObject({ status: 'pending', received: 0n, refundSender: null })
  })

  test('emits an event when the status has one, and none otherwise', () => {
    const over = take(awaitingSol(), observedDeposit(1, 400n), observedDeposit(2, 700n))
    const dropped = over.deposits.filter(({ amount }) => amount === 700n)
    const verdict = dropped.map((one) => ({ deposit: one, state: 'dropped' as const }))
    const change = changeOf(decideFinality(over, verdict, context()))
    expect(eventsOf(change)).toEqual(['intent.underpaid'])
    expect(change.ledger).toEqual([])
    const rest = afterwards(over, change)
    const last = rest.deposits
      .filter(({ state }) => state === 'confirmed')
      .map((one) => ({ deposit: one, state: 'dropped' as const }))
    expect(changeOf(decideFinality(rest, last, context()))).toMatchObject({ events: [], after: { status: 'pending' } })
  })

  test('counts again when it lands again, with its new time and amount', () => {
    const gone = drop(take(awaitingSol(), observedDeposit(1, EXPECTED)), 1)
    const back = take(gone, observedDeposit(1, EXPECTED, { slot: 2_000n }))
    expect(back.intent).toMatchObject({ status: 'paid', received: EXPECTED })
    expect(back.deposits).toHaveLength(1)
    expect(back.deposits[0]).toMatchObject({ state: 'confirmed', use: 'applied', slot: 2_000n })
  })

  test('does not change final deposits', () => {
    const facts = factsWith(intentWith({ status: 'settling', selection: choice(SOL, EXPECTED) }), {
      deposits: [deposit(1, EXPECTED, { state: 'final' })],
    })
    const verdict = [{ deposit: deposit(1, EXPECTED), state: 'dropped' as const }]
    expect(decideFinality(facts, verdict, context())).toEqual({ kind: 'unchanged' })
  })
})

describe('amounts that add up beyond what one account can hold', () => {
  const MAX = 2n ** 64n - 1n
  const awaitingToken = () => factsWith(intentWith({ selection: choice(MINT, EXPECTED), acceptedAssets: [MINT] }))
  const arrived = (amounts: readonly bigint[]) => {
    const known = take(awaitingToken(), ...amounts.map((amount, at) => observedDeposit(at, amount, { asset: MINT })))
    const settled = known.deposits.map((one) => ({ deposit: one, state: 'final' as const }))
    return apply(known, decideFinality(known, settled, context()))
  }

  test('are shown as the largest amount, and the payment settles', () => {
    const { intent, transfers } = arrived([MAX, 5n])
    expect(intent).toMatchObject({ status: 'settling', received: MAX })
    expect(transfers.map(({ kind }) => kind)).toEqual(['sweep'])
  })

  test('never stop a decision, and no transfer moves more than an account can contain', () => {
    const amounts = fc.array(fc.oneof(fc.bigInt({ min: 1n, max: MAX }), fc.constant(MAX)), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(amounts, (list) => {
        for (const { legs } of arrived(list).transfers)
          expect(legs.reduce((sum, { amount }) => sum + amount, 0n)).toBeLessThanOrEqual(MAX)
      }),
    )
  })

  test('leave nothing behind after several sweeps', () => {
    const sweep = (round: number) =>
      sweepOf({
        key: `sweep:intent:42:${round}`,
        round,
        asset: MINT,
        status: 'done',
        legs: [leg('merchant', MERCHANT, MAX)],
      })
    const deposits = [1, 2].map((number) => deposit(number, MAX, { asset: MINT, state: 'final' }))
    const known = factsWith(intentWith({ status: 'swept', selection: choice(MINT, EXPECTED) }), {
      deposits,
      transfers: [sweep(1), sweep(2)],
    })
    expect(decideSweep(known, context())).toEqual({ kind: 'unchanged' })
    expect(take(known, observedDeposit(3, 7n, { asset: MINT })).intent.latePayments).toMatchObject([{ amount: 7n }])
  })
})

describe('an excess whose sender is', () => {
  const EXCESS = 6_000_000n
  const overpaid = (patch: Partial<ObservedDeposit>, custodians = new Map<Address, string>()) =>
    changeOf(decideDeposits(awaitingSol(), [observedDeposit(1, EXCESS, patch)], null, context({ custodians })))
  const messages = ({ after, events }: IntentChange) => [
    messageOf(after),
    ...events.map(({ intent }) => messageOf(intent)),
  ]

  test('known is said to go back if that is possible', () => {
    for (const message of messages(overpaid({}))) expect(message).toContain('The excess goes back to the wallets')
  })

  test.each([
    ['not known', overpaid({ senders: [] }), SENDER_UNKNOWN],
    ['a custodian', overpaid({}, new Map([[BUYER, 'Kraken']])), custodianText(BUYER, 'Kraken')],
  ])('%s is said to be held as soon as it arrives, also in the event', (_, change, reason) => {
    expect(eventsOf(change)).toEqual(['intent.overpaid'])
    for (const message of messages(change)) {
      expect(message).toBe(`Payment received, and more than the price. What was paid too much is held. ${reason}`)
    }
  })

  test('not known, and which is not above the network fee, settles and is not said to be held', () => {
    const change = overpaid({ senders: [], amount: units(EXPECTED + NETWORK_FEE) })
    expect(change.after).toMatchObject({ status: 'overpaid', statusReason: null })
  })
})
