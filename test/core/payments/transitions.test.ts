// What a status means, and how one follows another.
import { describe, expect, test } from 'vitest'
import { moveTo, startChange } from '#core/payments/change.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import { type StatusPolicy, statusesWhere } from '#core/payments/status-policy.ts'
import { ARRIVAL_EVENT, isDocumented } from '#core/payments/transitions.ts'
import { eventsOf, intentWith, later, NOW } from '../../support/payment.ts'

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
