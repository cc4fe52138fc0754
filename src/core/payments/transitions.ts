// The table of every transition an intent may make, and its events. A status or a pair that is missing here cannot happen.

import type { IntentStatus } from '#core/payments/payment-intent.ts'

/** Whether the interface documents the transition (`spec`) or this service's contract adds it (`ours`). */
type Origin = 'spec' | 'ours'

export const TRANSITIONS: Readonly<Record<IntentStatus, Readonly<Partial<Record<IntentStatus, Origin>>>>> = {
  // The buyer chooses again, or an early payment chooses.
  pending: { pending: 'spec', underpaid: 'spec', paid: 'spec', overpaid: 'spec', cancelled: 'spec' },
  // To settling only when the business sweeps an underpayment.
  underpaid: { underpaid: 'ours', paid: 'spec', overpaid: 'spec', settling: 'ours', refunding: 'spec' },
  // Both last for no time: the sweep is planned in the same change.
  paid: { settling: 'spec' },
  overpaid: { settling: 'spec' },
  settling: { swept: 'spec', settle_failed: 'spec' },
  settle_failed: { settling: 'ours' },
  swept: {},
  refunding: { refunded: 'spec', refund_failed: 'spec' },
  refund_failed: { refunding: 'ours' },
  refunded: { refunding: 'ours' },
  cancelled: { refunding: 'ours' },
}

export const isDocumented = (from: IntentStatus, to: IntentStatus): boolean => TRANSITIONS[from][to] !== undefined

/** The event of a change to a status; null where an event before has shown the same. */
export const ARRIVAL_EVENT: Readonly<Record<IntentStatus, IntentEventType | null>> = {
  pending: null,
  underpaid: 'intent.underpaid',
  paid: 'intent.paid',
  overpaid: 'intent.overpaid',
  settling: 'intent.settling',
  swept: 'intent.swept',
  settle_failed: 'intent.settle_failed',
  refunding: 'intent.refunding',
  refunded: 'intent.refunded',
  refund_failed: 'intent.refund_failed',
  cancelled: 'intent.cancelled',
}

export const INTENT_EVENT_TYPES = [
  'intent.created',
  'intent.token_selected',
  'intent.underpaid',
  'intent.paid',
  'intent.overpaid',
  'intent.settling',
  'intent.swept',
  'intent.settlement_updated',
  'intent.settle_failed',
  'intent.cancelled',
  'intent.refunding',
  'intent.refunded',
  'intent.refund_failed',
  'intent.late_payment',
  'intent.token_refund_updated',
  'intent.held_released',
  'intent.refund_address_proposed',
  'intent.refund_address_approved',
  'intent.refund_address_declined',
] as const
export type IntentEventType = (typeof INTENT_EVENT_TYPES)[number]
