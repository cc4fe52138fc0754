// A try of a charge that failed for certain: tried again later, or not. docs/billing.md, "Charges".
import { type Charge, type FailureCode, RECOVERY } from '#core/billing/charge.ts'
import { nextTryAt, nextTryPastObstacle, triableAt } from '#core/billing/dunning.ts'
import {
  type BillingChange,
  type ChargePatch,
  moveTo,
  type SubscriptionPatch,
  step,
  withCharge,
} from '#core/billing/machine/change.ts'
import { moveToRevoked } from '#core/billing/machine/coverage.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { dunningUntil, incompleteUntil } from '#core/billing/machine/schedule.ts'
import { type BillingSubscription, isCharging } from '#core/billing/subscription.ts'

/**
 * Returns when a charge that fails on the chain now may be tried again: at the time of dunning, or of the obstacle. A pause ends
 * dunning, and the next dunning begins with the shortest wait; so the failures of the charge count as well, and its fees have
 * an end.
 */
export function retryFromOf(
  { dunningAttempts }: Pick<BillingSubscription, 'dunningAttempts'>,
  { attempts, firstFailedAt }: Pick<Charge, 'attempts' | 'firstFailedAt'>,
  code: FailureCode,
  now: Date,
): Date {
  if (RECOVERY[code] === 'none') return nextTryPastObstacle(firstFailedAt ?? now, now)
  return nextTryAt(Math.max(dunningAttempts, attempts) + 1, now)
}

/** Adds the failure of a try, and its effect on the subscription. The caller ends the attempt or withdraws the transfer. */
export function failTry(
  change: BillingChange,
  facts: Pick<BillingFacts, 'charge'>,
  charge: Charge,
  code: FailureCode,
  now: Date,
): BillingChange {
  const { after: subscription } = change
  const { status } = subscription
  const firstFailedAt = charge.firstFailedAt ?? now
  const failed = { failureCode: code, attempts: charge.attempts + 1, firstFailedAt }
  const end = (patch: ChargePatch & Pick<Charge, 'status'>): BillingChange =>
    withCharge(change, charge, { ...failed, ...patch }, now, 'charge.failed')
  // Nothing is charged any more: no try follows.
  if (!isCharging(subscription)) return step(end({ status: 'canceled', nextAttemptAt: null }), facts, {}, now, null)
  const retryAt = (at: Date | null) => end({ status: 'failed', nextAttemptAt: at })
  switch (RECOVERY[code]) {
    case 'none':
      return step(retryAt(obstacleRetryAt(subscription, firstFailedAt, now)), facts, {}, now, null)
    case 'reapprove':
      return status === 'incomplete'
        ? step(retryAt(null), facts, {}, now, null)
        : moveToRevoked(end({ status: 'canceled', nextAttemptAt: null }), facts, now)
    case 'retry': {
      const { dunning, at } = dunningAfter(subscription, charge, now)
      const again = retryAt(withinDunning(subscription, dunning, triableAt(charge, at)))
      return status === 'trialing' || status === 'active' || status === 'renewal_required'
        ? moveTo(again, facts, 'past_due', dunning, now, 'subscription.past_due')
        : step(again, facts, dunning, now, null)
    }
  }
}

type Dunning = Required<Pick<SubscriptionPatch, 'pastDueSince' | 'dunningAttempts'>>

/**
 * Returns what the failure makes of dunning, and the time of its next try. Once dunning has begun, an earlier try by a person or
 * after a refill changes neither. The seven days count from the first failure. An incomplete subscription is not past due: its
 * 23 hours count.
 */
function dunningAfter(
  { status, pastDueSince, dunningAttempts }: BillingSubscription,
  { dunningAt }: Charge,
  now: Date,
): { readonly dunning: Dunning; readonly at: Date } {
  if (dunningAttempts > 0 && dunningAt !== null && dunningAt > now)
    return { dunning: { pastDueSince, dunningAttempts }, at: dunningAt }
  const failures = dunningAttempts + 1
  const since = status === 'incomplete' ? null : (pastDueSince ?? now)
  return { dunning: { pastDueSince: since, dunningAttempts: failures }, at: nextTryAt(failures, now) }
}

const withinDunning = (subscription: BillingSubscription, dunning: Dunning, at: Date): Date | null =>
  at < (dunningUntil(dunning) ?? incompleteUntil(subscription)) ? at : null

function obstacleRetryAt(subscription: BillingSubscription, firstFailedAt: Date, now: Date): Date | null {
  const at = nextTryPastObstacle(firstFailedAt, now)
  return subscription.status === 'incomplete' && at >= incompleteUntil(subscription) ? null : at
}
