import { describe, expect, it, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import { moveTo, startChange } from '#core/payments/change.ts'
import { INTENT_STATUSES, type IntentStatus, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { type StatusPolicy, statusesWhere } from '#core/payments/status-policy.ts'
import { actionOf, messageOf, namedTokens, settledShortfall, shortfallOf } from '#core/payments/status-view.ts'
import { ARRIVAL_EVENT, isDocumented } from '#core/payments/transitions.ts'
import { fullIntent, MINT, SIGNATURE } from '../../support/example-intent.ts'
import {
  choice,
  eventsOf,
  intentWith,
  later,
  NOW,
  OTHER_MINT,
  SOL_TOKEN,
  token,
  UNKNOWN_MINT,
  USDC,
  units,
} from '../../support/payment.ts'

// What a status means, and how one follows another.
describe('a status', () => {
  // A second copy of the table, from the interface and the contract, so that a mistake in the table is noticed.
  const ALLOWED: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
    pending: ['pending', 'underpaid', 'paid', 'overpaid', 'cancelled'],
    underpaid: ['underpaid', 'paid', 'overpaid', 'settling', 'refunding'],
    paid: ['settling'],
    overpaid: ['settling'],
    settling: ['swept', 'settle_failed'],
    settle_failed: ['settling'],
    swept: [],
    refunding: ['refunded', 'refund_failed'],
    refund_failed: ['refunding'],
    refunded: ['refunding'],
    cancelled: ['refunding'],
  }
  const pairs = INTENT_STATUSES.flatMap((from) => INTENT_STATUSES.map((to) => [from, to] as const))
  const isAllowed = (from: IntentStatus, to: IntentStatus) => ALLOWED[from].includes(to)

  describe('the table of transitions', () => {
    test('has exactly the documented transitions', () => {
      expect(pairs.filter(([from, to]) => isDocumented(from, to))).toEqual(
        pairs.filter(([from, to]) => isAllowed(from, to)),
      )
    })

    test.each(pairs.filter(([from, to]) => !isAllowed(from, to)))('%s never becomes %s', (from, to) => {
      expect(() => moveTo(startChange(intentWith({ status: from })), to, {}, NOW)).toThrow(
        `undocumented transition: ${from} to ${to}`,
      )
    })

    test.each(pairs.filter(([from, to]) => isAllowed(from, to)))(
      '%s becomes %s with one event, the next version, and the new state',
      (from, to) => {
        const before = intentWith({ status: from, version: 7, statusReason: 'an old reason' })
        const change = moveTo(startChange(before), to, {}, later(9))
        expect(change.before).toBe(before)
        expect(change.after).toEqual({ ...before, status: to, version: 8, statusReason: null, updatedAt: later(9) })
        const event = ARRIVAL_EVENT[to]
        expect(change.events).toEqual(event === null ? [] : [{ type: event, intent: change.after }])
      },
    )

    test('every status except pending has an event of its name', () => {
      for (const status of INTENT_STATUSES) {
        expect(ARRIVAL_EVENT[status]).toBe(status === 'pending' ? null : `intent.${status}`)
      }
    })

    test('two steps of one change have two snapshots, each of its own moment', () => {
      const paid = moveTo(startChange(intentWith({ version: 3 })), 'paid', {}, NOW)
      const settling = moveTo(paid, 'settling', {}, NOW)
      expect(eventsOf(settling)).toEqual(['intent.paid', 'intent.settling'])
      expect(settling.events.map(({ intent }) => [intent.status, intent.version])).toEqual([
        ['paid', 4],
        ['settling', 5],
      ])
      expect(settling.before.version).toBe(3)
    })
  })

  const RULES: readonly (readonly [rule: string, policy: keyof StatusPolicy, statuses: readonly IntentStatus[]])[] = [
    ['is open', 'isOpen', ['pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding']],
    ['accepts deposits for the price', 'awaitsPayment', ['pending', 'underpaid', 'paid', 'overpaid']],
    ['can expire', 'canExpire', ['pending', 'underpaid']],
    ['owes deposits back', 'owesBack', ['swept', 'refunding', 'refunded', 'cancelled', 'refund_failed']],
    ['ended without a settlement', 'endedUnsettled', ['refunding', 'refunded', 'cancelled', 'refund_failed']],
    ['goes back to refunding for a new return', 'reopens', ['refunded', 'cancelled', 'refund_failed']],
    ['shows refunds of the price', 'showsRefunds', ['refunding', 'refunded', 'refund_failed']],
    ['shows refunds of an excess after the sweep', 'showsExcess', ['swept']],
    ['is settled by a sweep on demand', 'sweepSettles', ['underpaid', 'paid', 'overpaid', 'settle_failed']],
  ]

  test.each(RULES)('a payment %s in exactly these statuses', (_, policy, statuses) => {
    expect(statusesWhere(policy)).toEqual(INTENT_STATUSES.filter((status) => statuses.includes(status)))
  })

  test('details are closed when a payment has ended', () => {
    const open = new Set(statusesWhere('acceptsDetails'))
    expect(INTENT_STATUSES.filter((status) => !open.has(status))).toEqual([
      'swept',
      'refunded',
      'cancelled',
      'refund_failed',
    ])
  })
})

describe('the view of a status', () => {
  const paidWith = (received: bigint) => ({ selection: choice(SOL, 1_000n), received: units(received) })

  describe('action', () => {
    test.each([
      ['pending', 'waiting'],
      ['underpaid', 'underpaid'],
      ['paid', 'paid'],
      ['overpaid', 'overpaid'],
      ['swept', 'swept'],
      ['refunding', 'refunding'],
      ['refunded', 'refunded'],
      ['cancelled', 'cancelled'],
      ['refund_failed', 'refund_failed'],
    ] as const)('of %s is %s', (status, action) => {
      expect(actionOf(intentWith({ status, ...paidWith(1_001n) }))).toBe(action)
    })

    test.each(['settling', 'settle_failed'] as const)('of %s is shown to the buyer as paid, or overpaid', (status) => {
      expect(actionOf(intentWith({ status, ...paidWith(1_000n) }))).toBe('paid')
      expect(actionOf(intentWith({ status, ...paidWith(1_001n) }))).toBe('overpaid')
    })
  })

  describe('shortfall', () => {
    test('is the missing amount of an underpaid intent', () => {
      expect(shortfallOf(intentWith({ status: 'underpaid', ...paidWith(999n) }))).toBe(1n)
    })

    test.each(INTENT_STATUSES.filter((status) => status !== 'underpaid'))(
      'is null for an intent that is %s',
      (status) => {
        expect(shortfallOf(intentWith({ status, ...paidWith(1n) }))).toBeNull()
      },
    )
  })

  describe('shortfall of a settlement', () => {
    const settled = (received: bigint) =>
      intentWith({ status: 'swept', ...paidWith(received), settlement: fullIntent.settlement })

    test('is what it has less than the price', () => {
      expect(settledShortfall(settled(999n))).toBe(1n)
      expect(settledShortfall(settled(1_000n))).toBeNull()
      expect(settledShortfall({ ...settled(999n), settlement: null })).toBeNull()
      expect(settledShortfall({ ...settled(999n), status: 'refund_failed' })).toBeNull()
    })
  })

  describe('message', () => {
    test('shows the missing amount, in whole units', () => {
      const intent = intentWith({ status: 'underpaid', selection: choice(SOL, 2_500_000_000n), received: units(1n) })
      expect(messageOf(intent)).toBe('Part of the payment has arrived. Still missing: 2.499999999.')
    })

    test('of an underpayment that the business swept never claims full payment', () => {
      const swept = (status: 'settling' | 'swept' | 'settle_failed', received: bigint) =>
        messageOf(intentWith({ status, selection: choice(SOL, 2_500_000_000n), received: units(received) }))
      expect(swept('settling', 1n)).toBe(
        'Part of the payment was received. It is on its way to the business. Missing: 2.499999999.',
      )
      expect(swept('swept', 1n)).toBe('Part of the payment was received and settled. Missing: 2.499999999.')
      expect(swept('settle_failed', 1n)).toMatch(/^Part of the payment was received\. .* Missing: 2\.499999999\.$/)
      expect(swept('swept', 2_500_000_000n)).toBe('Paid and settled.')
    })

    test('of what the business tolerates claims full payment', () => {
      const swept = intentWith({ status: 'swept', ...paidWith(990n), underpaymentToleranceBps: makeBasisPoints(100) })
      expect(messageOf(swept)).toBe('Paid and settled.')
      expect(messageOf({ ...swept, received: units(989n) })).toContain('Part of the payment')
    })

    test.each(['cancelled', 'refunded'] as const)('of a %s payment says that later money was settled', (status) => {
      const paidLater = intentWith({ status, settlement: fullIntent.settlement })
      expect(messageOf(paidLater)).toContain('The business settled money that was paid after that.')
      expect(messageOf({ ...paidLater, settlement: null })).not.toContain('settled')
    })

    test('distinguishes waiting for a selection from waiting for a payment', () => {
      const chosen = messageOf(intentWith(paidWith(0n)))
      expect(messageOf(intentWith())).not.toBe(chosen)
    })

    test('of every status is a different sentence, with the reason where one exists', () => {
      const messages = INTENT_STATUSES.map((status) => messageOf(intentWith({ status, ...paidWith(5n) })))
      expect(new Set(messages).size).toBe(INTENT_STATUSES.length)
      expect(messages.every((message) => message.endsWith('.'))).toBe(true)
      const failed = intentWith({ status: 'settle_failed', statusReason: 'The business has no sweep destination.' })
      expect(messageOf(failed)).toContain('The business has no sweep destination.')
    })
  })

  const DISALLOWED = token({ asset: OTHER_MINT, mint: OTHER_MINT, ticker: 'OTH', enabled: false })
  const amount = units(5n)
  const late = { amount, status: 'pending', signature: SIGNATURE, count: 1, refund: null } as const

  it.each<[string, Partial<PaymentIntent>, readonly string[]]>([
    ['with nothing', {}, []],
    ['with a selection', { selection: choice(MINT, 5n) }, ['USDC']],
    ['with a selection that is no longer allowed', { selection: choice(OTHER_MINT, 5n) }, ['OTH']],
    ['with a refund in SOL', { refunds: [{ mint: null, amount, signatures: [] }] }, ['SOL']],
    ['with SOL as a wrong asset', { tokenRefunds: [wrong(makeAddress(WRAPPED_SOL_MINT))] }, ['SOL']],
    ['with wrong assets', { tokenRefunds: [wrong(OTHER_MINT), wrong(MINT)] }, ['USDC', 'OTH']],
    ['with late payments', { latePayments: [{ ...late, mint: MINT }] }, ['USDC']],
    ['with held money', { held: [{ mint: OTHER_MINT, amount, reason: '' }] }, ['OTH']],
    ['with a token that was never allowed', { held: [{ mint: UNKNOWN_MINT, amount, reason: '' }] }, []],
  ])('a payment %s names these tokens', (_, patch, tickers) => {
    const named = namedTokens(intentWith(patch), [SOL_TOKEN, USDC, DISALLOWED])
    expect(named.map(({ ticker }) => ticker)).toEqual(tickers)
  })

  function wrong(mint: string) {
    return { mint, status: 'pending', amount, refund: null } as const
  }
})
