// Second copies of the documented tables of statuses, so that a mistake in the service's own tables is noticed.
// docs/contract.md, "Statuses and transitions".

import type { SubscriptionStatus } from '#core/billing/subscription.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'

/**
 * Every documented transition. A transition to the same status means that the status is emitted again with other
 * amounts.
 */
const NEXT: Readonly<Record<IntentStatus, readonly IntentStatus[]>> = {
  // The buyer selects an asset, a payment arrives, or the window ends.
  pending: ['pending', 'underpaid', 'paid', 'overpaid', 'cancelled'],
  // To settling when the business sweeps the money.
  underpaid: ['underpaid', 'paid', 'overpaid', 'settling', 'refunding'],
  // The sweep is planned in the same change.
  paid: ['settling'],
  overpaid: ['settling'],
  settling: ['swept', 'settle_failed'],
  settle_failed: ['settling'],
  // Late deposits to a swept intent leave it as it is.
  swept: [],
  refunding: ['refunded', 'refund_failed'],
  refund_failed: ['refunding'],
  refunded: ['refunding'],
  cancelled: ['refunding'],
}

export type Transition = `${IntentStatus} → ${IntentStatus}`

export const DOCUMENTED: readonly string[] = Object.entries(NEXT).flatMap(([from, targets]) =>
  targets.map((to) => `${from} → ${to}`),
)

export const isDocumented = (from: IntentStatus, to: IntentStatus): boolean => NEXT[from].includes(to)

/** The event of a status; null for pending, which `intent.created` reports. */
export const announcementOf = (status: IntentStatus): string | null =>
  status === 'pending' ? null : `intent.${status}`

/** The action that a buyer is shown for a status. docs/contract.md, "Actions". */
export function actionOf(status: string, isOverpaid: boolean): string {
  if (status === 'pending') return 'waiting'
  if (status === 'settling' || status === 'settle_failed') return isOverpaid ? 'overpaid' : 'paid'
  return status
}

// The documented transitions of a subscription, a second copy of the table in docs/billing.md, with the reason that each
// stop must have.

const NEXT_OF_A_SUBSCRIPTION: Readonly<Record<SubscriptionStatus, readonly SubscriptionStatus[]>> = {
  incomplete: ['active', 'failed'],
  // To exhausted when terms that a wallet sent itself give less than one charge.
  trialing: ['active', 'past_due', 'paused', 'revoked', 'exhausted', 'canceled'],
  // To exhausted when the last authorized charge succeeds after the end of its period.
  active: ['renewal_required', 'past_due', 'paused', 'revoked', 'exhausted', 'canceled'],
  // To active by a renewal, or when a period was passed over.
  renewal_required: ['active', 'past_due', 'paused', 'revoked', 'exhausted', 'canceled'],
  // To exhausted when the authorization was for the charge that is past due, and its period ends.
  past_due: ['active', 'paused', 'revoked', 'exhausted', 'canceled'],
  // To exhausted when it is resumed with nothing authorized for the present period.
  paused: ['trialing', 'active', 'exhausted', 'canceled'],
  revoked: ['trialing', 'active', 'canceled'],
  exhausted: ['active', 'canceled'],
  canceled: [],
  failed: [],
}

export const SUBSCRIPTION_STEPS: readonly string[] = Object.entries(NEXT_OF_A_SUBSCRIPTION).flatMap(([from, targets]) =>
  targets.map((to) => `subscription: ${from} → ${to}`),
)

export const isDocumentedStep = (from: SubscriptionStatus, to: SubscriptionStatus): boolean =>
  NEXT_OF_A_SUBSCRIPTION[from].includes(to)

/** The event of a new status; for `active` it depends on where it came from. */
export function eventOf(from: SubscriptionStatus, to: SubscriptionStatus): readonly string[] {
  if (to === 'trialing') return ['subscription.resumed']
  if (to !== 'active') return [`subscription.${to}`]
  if (from === 'incomplete' || from === 'trialing') return ['subscription.activated']
  return ['subscription.updated', 'subscription.resumed', ...(from === 'past_due' ? ['subscription.activated'] : [])]
}

export const CHARGING: ReadonlySet<SubscriptionStatus> = new Set([
  'incomplete',
  'trialing',
  'active',
  'renewal_required',
  'past_due',
])
/** Statuses in which the remaining slice is outstanding. */
export const OUTSTANDING: ReadonlySet<SubscriptionStatus> = new Set([...CHARGING, 'paused'])
