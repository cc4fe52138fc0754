// The documented transitions of a subscription, a second copy of the table in docs/billing.md, with the reason that each
// stop must have.
import type { SubscriptionStatus } from '#core/billing/subscription.ts'

const NEXT: Readonly<Record<SubscriptionStatus, readonly SubscriptionStatus[]>> = {
  incomplete: ['active', 'failed'],
  active: ['renewal_required', 'past_due', 'paused', 'revoked', 'canceled'],
  // To active by a renewal, or when a period was passed over.
  renewal_required: ['active', 'past_due', 'paused', 'revoked', 'exhausted', 'canceled'],
  // To exhausted when the authorization was for the charge that is past due, and its period ends.
  past_due: ['active', 'paused', 'revoked', 'exhausted', 'canceled'],
  // To exhausted when it is resumed with nothing authorized for the present period.
  paused: ['active', 'exhausted', 'canceled'],
  revoked: ['active', 'canceled'],
  exhausted: ['active', 'canceled'],
  canceled: [],
  failed: [],
}

export const SUBSCRIPTION_STEPS: readonly string[] = Object.entries(NEXT).flatMap(([from, targets]) =>
  targets.map((to) => `subscription: ${from} → ${to}`),
)

export const isDocumentedStep = (from: SubscriptionStatus, to: SubscriptionStatus): boolean => NEXT[from].includes(to)

/** The event of a new status; for `active` it depends on where it came from. */
export function eventOf(from: SubscriptionStatus, to: SubscriptionStatus): readonly string[] {
  if (to !== 'active') return [`subscription.${to}`]
  if (from === 'incomplete') return ['subscription.activated']
  return ['subscription.updated', 'subscription.resumed']
}

export const CHARGING: ReadonlySet<SubscriptionStatus> = new Set([
  'incomplete',
  'active',
  'renewal_required',
  'past_due',
])
/** Statuses in which the remaining slice is outstanding. */
export const OUTSTANDING: ReadonlySet<SubscriptionStatus> = new Set([...CHARGING, 'paused'])
export const FINAL: ReadonlySet<SubscriptionStatus> = new Set(['canceled', 'failed'])
