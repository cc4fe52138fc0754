import { expect, test } from 'vitest'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import { type StatusPolicy, statusesWhere } from '#core/payments/status-policy.ts'

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
