import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Asset, SOL } from '#core/chain/types.ts'
import { MAX_U64, makeBasisPoints } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import {
  decideCancel,
  decideExpiry,
  decideSelection,
  judgeQuote,
  judgeSelection,
} from '#core/payments/machine/checkout.ts'
import { decideDeposits, MAX_DEPOSITS_PER_CHANGE, selectableAssets } from '#core/payments/machine/deposits.ts'
import { decideSweep } from '#core/payments/machine/sweeping.ts'
import {
  INTENT_STATUSES,
  type IntentStatus,
  isExpired,
  leastExpected,
  leastPaid,
  MAX_UNDERPAYMENT_TOLERANCE_BPS,
  WINDOW_ENDED,
} from '#core/payments/payment-intent.ts'
import { totalOf } from '#core/payments/position/shares.ts'
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

// The actions of a buyer, and the end of the window.
const WINDOW_END = pendingIntent.expiresAt
const untilEnd = (ms: number) => new Date(WINDOW_END.getTime() - ms)
const past = INTENT_STATUSES.filter((status) => status !== 'pending')
const paid = past.filter((status) => status !== 'cancelled')

describe('choosing a token', () => {
  test('locks asset, decimals and amount with one event, and may be repeated', () => {
    const first = changeOf(decideSelection(factsWith(intentWith()), choice(MINT, 25_000_000n), NOW))
    expect(first.after).toEqual({
      ...pendingIntent,
      selection: { asset: MINT, decimals: 6, expected: 25_000_000n, rate: null },
      version: 2,
      updatedAt: NOW,
    })
    expect(eventsOf(first)).toEqual(['intent.token_selected'])
    const second = changeOf(decideSelection(factsWith(first.after), choice(SOL, 170_000_000n), NOW))
    expect(second.after).toMatchObject({ selection: choice(SOL, 170_000_000n), status: 'pending', version: 3 })
    expect(eventsOf(second)).toEqual(['intent.token_selected'])
  })

  test.each([
    ['an asset that the intent does not accept', intentWith(), OTHER_MINT, NOW, 'asset_not_accepted'],
    ['at the end of the window', intentWith(), SOL, WINDOW_END, 'intent_expired'],
    [
      'after the window has ended the intent',
      intentWith({ status: 'cancelled', statusReason: WINDOW_ENDED }),
      SOL,
      NOW,
      'intent_expired',
    ],
    ['after the business cancelled', intentWith({ status: 'cancelled' }), SOL, NOW, 'intent_cancelled'],
  ] as const)('%s is refused', (_, intent, asset, now, code) => {
    expect(judgeSelection(intent, asset, now)).toBe(code)
    expect(decideSelection(factsWith(intent), choice(asset, 1n), now)).toEqual({ kind: 'refused', code })
  })

  test('is possible until the last moment of the window', () => {
    expect(judgeSelection(intentWith(), SOL, untilEnd(1))).toBeNull()
    expect(isExpired(intentWith(), untilEnd(1))).toBe(false)
    expect(isExpired(intentWith(), WINDOW_END)).toBe(true)
  })

  test.each(paid)('is frozen when the intent is %s, even for an asset that it does not accept', (status) => {
    expect(judgeSelection(intentWith({ status }), OTHER_MINT, later(7_200))).toBe('selection_frozen')
  })

  test('is frozen by a deposit', () => {
    const facts = factsWith(intentWith({ selection: choice(SOL, 10n) }), { deposits: [deposit(1, 4n)] })
    expect(decideSelection(facts, choice(MINT, 9n), NOW)).toEqual({ kind: 'refused', code: 'selection_frozen' })
  })

  test('is not frozen by a wrong asset, but cannot turn that money into the payment', () => {
    const facts = factsWith(intentWith({ selection: choice(MINT, 9n) }), {
      deposits: [deposit(1, 2_000_000n, { use: 'wrong_asset' })],
    })
    expect(changeOf(decideSelection(facts, choice(MINT, 8n), NOW)).after.selection).toEqual(choice(MINT, 8n))
    expect(decideSelection(facts, choice(SOL, 10n), NOW)).toEqual({ kind: 'refused', code: 'selection_frozen' })
  })
})

describe('quoting', () => {
  test('is allowed for pending intents within their window', () => {
    expect(judgeQuote(intentWith(), untilEnd(1))).toBeNull()
    expect(judgeQuote(intentWith(), WINDOW_END)).toBe('not_quotable')
    for (const status of past) expect(judgeQuote(intentWith({ status }), NOW)).toBe('not_quotable')
  })
})

describe('the end of the window', () => {
  const readTo = (ms: number) => new Date(WINDOW_END.getTime() + ms)

  test('cancels a pending intent when the chain was read to a block past it', () => {
    const change = changeOf(decideExpiry(factsWith(intentWith()), readTo(1), context({ now: later(999) })))
    expect(change.after).toMatchObject({ status: 'cancelled', statusReason: WINDOW_ENDED, updatedAt: later(999) })
    expect(eventsOf(change)).toEqual(['intent.cancelled'])
  })

  test.each([-60_000, -1, 0])(
    'waits while the chain was read to %d ms of it, whatever the service’s clock says',
    (ms) => {
      expect(decideExpiry(factsWith(intentWith()), readTo(ms), context({ now: later(86_400) }))).toEqual({
        kind: 'unchanged',
      })
    },
  )

  test('returns the money of an underpaid intent', () => {
    const facts = factsWith(intentWith({ status: 'underpaid', selection: choice(MINT, 10n), received: units(4n) }), {
      deposits: [deposit(1, 4n, { asset: MINT })],
    })
    const change = changeOf(decideExpiry(facts, readTo(1), context()))
    expect(eventsOf(change)).toEqual(['intent.refunding'])
    expect(change.transfers).toMatchObject([{ kind: 'refund', legs: [{ role: 'refund', amount: 4n }] }])
    expect(decideExpiry(facts, readTo(0), context())).toEqual({ kind: 'unchanged' })
  })

  const over = past.filter((status) => status !== 'underpaid')
  test.each(over)('does not change an intent that is %s', (status) => {
    expect(decideExpiry(factsWith(intentWith({ status })), readTo(1), context())).toEqual({ kind: 'unchanged' })
  })
})

describe('a cancel', () => {
  const cancel = (status: IntentStatus) => decideCancel(factsWith(intentWith({ status })), context())

  test('ends a pending intent with one event; a second cancel changes nothing', () => {
    const change = changeOf(cancel('pending'))
    expect(change.after).toMatchObject({ status: 'cancelled', statusReason: null })
    expect(eventsOf(change)).toEqual(['intent.cancelled'])
    for (const status of ['cancelled', 'refunding', 'refunded', 'refund_failed'] as const) {
      expect(cancel(status)).toEqual({ kind: 'unchanged' })
    }
  })

  test.each(['paid', 'overpaid', 'settling', 'swept', 'settle_failed'] as const)(
    'is too late when the intent is %s',
    (status) => {
      expect(cancel(status)).toEqual({ kind: 'refused', code: 'payment_already_received' })
    },
  )
})

// Deposits in any order and in any parts, and their effect on an intent.
describe('deposits', () => {
  const EXPECTED = 1_000_000n
  const MORE_THAN_DUST = LARGEST_DUST + 1n
  const awaitingSol = () => factsWith(intentWith({ selection: choice(SOL, EXPECTED), acceptedAssets: [SOL, MINT] }))
  const take = (facts: IntentFacts, ...observed: ObservedDeposit[]) =>
    apply(facts, decideDeposits(facts, observed, null, context()))

  describe('money of the selected asset', () => {
    test.each([
      [1n, 'underpaid', []],
      [EXPECTED - 1n, 'underpaid', []],
      [EXPECTED, 'paid', ['intent.settling']],
      [EXPECTED + 1n, 'overpaid', ['intent.settling']],
    ])('%d of 1000000 makes a pending intent %s, with an event for each status', (amount, status, settling) => {
      const change = changeOf(decideDeposits(awaitingSol(), [observedDeposit(1, amount)], null, context()))
      const received = { status, received: amount, refundSender: BUYER, updatedAt: NOW }
      expect(change.events[0]).toMatchObject({ type: `intent.${status}`, intent: received })
      expect(eventsOf(change).slice(1)).toEqual(settling)
      expect(change.deposits).toMatchObject([{ use: 'applied', seenAt: NOW, seenVersion: 2 }])
      expect(change).toMatchObject({ ledger: [{ delta: amount }], outcome: null })
      expect(change.transfers).toHaveLength(settling.length)
    })

    describe('of a business that tolerates two percent less', () => {
      const tolerant = (expected = EXPECTED) =>
        factsWith(intentWith({ selection: choice(SOL, expected), underpaymentToleranceBps: makeBasisPoints(200) }))

      test.each([
        [979_999n, 'underpaid', []],
        [980_000n, 'paid', ['intent.settling']],
        [EXPECTED, 'paid', ['intent.settling']],
        [EXPECTED + 1n, 'overpaid', ['intent.settling']],
      ])('%d of 1000000 makes a pending intent %s', (amount, status, settling) => {
        const change = changeOf(decideDeposits(tolerant(), [observedDeposit(1, amount)], null, context()))
        expect(change.events[0]).toMatchObject({ type: `intent.${status}`, intent: { status, received: amount } })
        expect(eventsOf(change).slice(1)).toEqual(settling)
      })

      test('all that arrived settles, and the rest of the price that comes after it is late', () => {
        const paid = take(tolerant(), observedDeposit(1, 980_000n))
        expect(totalOf(paid.transfers[0]?.legs ?? [])).toBe(980_000n)
        const more = take(paid, observedDeposit(2, 20_000n))
        expect(more.deposits.map(({ use }) => use)).toEqual(['applied', 'late'])
        expect(more.intent).toMatchObject({ status: 'settling', received: 980_000n })
      })

      test('what is tolerated is rounded down, and is never more than its share of the price', () => {
        const anyTolerance = fc.integer({ min: 1, max: MAX_UNDERPAYMENT_TOLERANCE_BPS })
        fc.assert(
          fc.property(fc.bigInt({ min: 1n, max: MAX_U64 }), anyTolerance, (expected, bps) => {
            const tolerated = expected - leastPaid(units(expected), makeBasisPoints(bps))
            expect(tolerated * 10_000n <= expected * BigInt(bps)).toBe(true)
            expect((tolerated + 1n) * 10_000n > expected * BigInt(bps)).toBe(true)
            const least = leastExpected(units(expected / 2n + 1n), makeBasisPoints(bps))
            expect(leastPaid(least, makeBasisPoints(bps)) >= expected / 2n + 1n).toBe(true)
            expect(leastPaid(units(least - 1n), makeBasisPoints(bps)) < expected / 2n + 1n).toBe(true)
          }),
        )
      })

      test('an amount that counts as paid has arrived before a cancel', () => {
        const cancel = (balance: bigint) =>
          decideCancel(tolerant(), context(), [{ asset: SOL, account: pendingIntent.address, balance: units(balance) }])
        expect(cancel(980_000n)).toMatchObject({ code: 'payment_arriving' })
        expect(changeOf(cancel(979_999n)).after.status).toBe('cancelled')
      })
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

    test('more money emits an event each time until the price is paid, and settles at once then', () => {
      let facts = factsWith(intentWith({ selection: choice(SOL, 100_000n) }))
      const emitted: string[] = []
      for (const [at, amount] of [40_000n, 20_000n, 56_000n, 16_000n].entries()) {
        const change = changeOf(decideDeposits(facts, [observedDeposit(at, amount)], null, context()))
        emitted.push(...eventsOf(change))
        facts = afterwards(facts, change)
      }
      expect(emitted).toEqual([
        'intent.underpaid',
        'intent.underpaid',
        'intent.overpaid',
        'intent.settling',
        'intent.late_payment',
      ])
      expect(facts.intent.received).toBe(116_000n)
    })

    test('dust counts, and emits an event only when the status changes', () => {
      let facts = factsWith(intentWith({ selection: choice(SOL, 3n * NETWORK_FEE) }))
      const emitted = [1, 2, 3, 4, 5].map((at) => {
        const change = changeOf(decideDeposits(facts, [observedDeposit(at, NETWORK_FEE)], null, context()))
        facts = afterwards(facts, change)
        return eventsOf(change)
      })
      const paid = ['intent.paid', 'intent.settling']
      expect(emitted).toEqual([['intent.underpaid'], [], paid, ['intent.late_payment'], []])
      expect(facts.intent.received).toBe(3n * NETWORK_FEE)
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
      const part = take(awaitingSol(), observedDeposit(1, 990_000n, { senders: from(1, 990_000n) }))
      const over = take(part, observedDeposit(2, 40_000n, { senders: from(2, 40_000n) }))
      expect(over.intent).toMatchObject({ status: 'settling', refundSender: addressNo(2) })
      expect(take(part, observedDeposit(3, 40_000n, { senders: [] })).intent.refundSender).toBeNull()
    })

    test('that lands before the end of the window but is seen after it still pays', () => {
      const facts = awaitingSol()
      const decision = decideDeposits(facts, [observedDeposit(1, EXPECTED)], null, context({ now: later(3_600) }))
      expect(changeOf(decision).after.status).toBe('settling')
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
        const part = take(awaitingSol(), observedDeposit(1, 400_000n, inTime))
        const facts = take(part, observedDeposit(2, 600_000n, tooLate))
        expect(facts.intent).toMatchObject({ status: 'underpaid', received: 400_000n })
        expect(facts.deposits.map(({ use }) => use)).toEqual(['applied', 'late'])
        expect(changeOf(decideExpiry(facts, tooLate.blockTime, context())).after.status).toBe('refunding')
      })

      test('waits while an earlier deposit is seen later', () => {
        const late = take(awaitingSol(), observedDeposit(2, 600n, { ...tooLate, senders: [] }))
        expect(late.transfers).toEqual([])
        expect(take(late, observedDeposit(1, EXPECTED, inTime)).intent.status).toBe('settling')
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
      for (const [status, late] of [
        ['settling', 'pending'],
        ['swept', 'held'],
        ['settle_failed', 'pending'],
      ] as const) {
        const facts = factsWith(intentWith({ status, selection: choice(SOL, EXPECTED), received: units(EXPECTED) }), {
          deposits: [deposit(1, EXPECTED)],
          transfers: [sweepOf({ status: 'done', legs: [leg('merchant', MERCHANT, EXPECTED)] })],
        })
        const change = changeOf(decideDeposits(facts, [observedDeposit(7, 70n)], null, context()))
        expect(change.deposits).toMatchObject([{ use: 'late' }])
        expect(change.after).toMatchObject({
          status,
          received: EXPECTED,
          latePayments: [{ mint: null, amount: 70n, status: late, signature: signatureNo(7) }],
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
      expect(change.after).toMatchObject({ status: 'settling', held: [], tokenRefunds: [] })
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

  describe('amounts that add up beyond what one account can hold', () => {
    const MAX = 2n ** 64n - 1n
    const awaitingToken = () => factsWith(intentWith({ selection: choice(MINT, EXPECTED), acceptedAssets: [MINT] }))
    const arrived = (amounts: readonly bigint[]) => {
      return take(awaitingToken(), ...amounts.map((amount, at) => observedDeposit(at, amount, { asset: MINT })))
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
      const deposits = [1, 2].map((number) => deposit(number, MAX, { asset: MINT }))
      const known = factsWith(intentWith({ status: 'swept', selection: choice(MINT, EXPECTED) }), {
        deposits,
        transfers: [sweep(1), sweep(2)],
      })
      expect(decideSweep(known, context())).toEqual({ kind: 'unchanged' })
      expect(take(known, observedDeposit(3, 7n, { asset: MINT })).intent.latePayments).toMatchObject([{ amount: 7n }])
    })
  })

  test('an excess is said to go back where that is possible', () => {
    const { events } = changeOf(decideDeposits(awaitingSol(), [observedDeposit(1, 6_000_000n)], null, context()))
    expect(messageOf(events[0]?.intent ?? awaitingSol().intent)).toContain(
      'The excess goes back to the wallets that sent it',
    )
  })
})
