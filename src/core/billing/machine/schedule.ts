// When a subscription is charged next, and when the engine looks at it next.
import type { Charge } from '#core/billing/charge.ts'
import { nextAmount } from '#core/billing/discount.ts'
import { DUNNING_MS, earliest, INCOMPLETE_MS, later } from '#core/billing/dunning.ts'
import { chargeableAt, currentPeriod, isOpen, usablePeriod } from '#core/billing/entitlement.ts'
import { remainingAmount } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'

export type Schedule = Pick<BillingSubscription, 'nextChargeAt' | 'dueAt'>

const NEVER: Schedule = { nextChargeAt: null, dueAt: null }

/** Returns when the first charge is given up. */
export const incompleteUntil = ({ createdAt }: Pick<BillingSubscription, 'createdAt'>): Date =>
  later(createdAt, INCOMPLETE_MS)

/** Returns when dunning ends; null when nothing is past due. */
export const dunningUntil = ({ pastDueSince }: Pick<BillingSubscription, 'pastDueSince'>): Date | null =>
  pastDueSince === null ? null : later(pastDueSince, DUNNING_MS)

/**
 * Returns when a charge that was not paid is canceled: at the end of its period, unless it is under way. A missed period is
 * charged after its end, so a charge that was not tried yet is not late. One that has failed waits, also when it is planned again.
 */
export function lapsesAt({ status }: Pick<BillingSubscription, 'status'>, charge: Charge): Date | null {
  const isPlannedAgain = charge.status === 'pending' && (status === 'past_due' || charge.attempts > 0)
  const waits = charge.status === 'failed' || isPlannedAgain
  return waits ? charge.periodEnd : null
}

/** Returns when a failed charge is given up: with its period, or with dunning; null without a limit. */
function givenUpAt(subscription: BillingSubscription, charge: Charge): Date | null {
  if (subscription.status === 'incomplete') return incompleteUntil(subscription)
  return earliest(dunningUntil(subscription), lapsesAt(subscription, charge))
}

/** Returns whether the time of a failed charge is over: no person and no refill tries it again. */
export function isGivenUp(subscription: BillingSubscription, charge: Charge, now: Date): boolean {
  const until = givenUpAt(subscription, charge)
  return until !== null && until <= now
}

/** `latest` is the charge of the latest period. */
export function scheduleOf(subscription: BillingSubscription, latest: Charge | null): Schedule {
  const open = latest !== null && isOpen(latest) ? latest : null
  switch (subscription.status) {
    case 'incomplete':
      return scheduleFirst(subscription, open)
    case 'trialing':
      return subscription.cancelAtPeriodEnd
        ? untilEnd(subscription, latest)
        : withNotice(subscription, scheduleRunning(subscription, latest, open))
    case 'active':
    case 'renewal_required':
    case 'past_due':
      return subscription.cancelAtPeriodEnd
        ? untilEnd(subscription, latest)
        : scheduleRunning(subscription, latest, open)
    case 'paused':
    case 'revoked':
    case 'exhausted':
      return subscription.cancelAtPeriodEnd ? untilEnd(subscription, latest) : NEVER
    case 'canceled':
    case 'failed':
      return NEVER
  }
}

const scheduleRunning = (subscription: BillingSubscription, latest: Charge | null, open: Charge | null): Schedule =>
  open === null ? schedulePeriod(subscription, latest) : scheduleOpen(subscription, open)

/** The notice that the trial ends is sent before that. */
const withNotice = ({ trialNoticeAt }: BillingSubscription, schedule: Schedule): Schedule => ({
  ...schedule,
  dueAt: earliest(trialNoticeAt, schedule.dueAt),
})

/** Returns when a subscription ends that ends with its period. A charge under way may still pay for the current one. */
export const endsAt = (subscription: BillingSubscription, latest: Charge | null): Date =>
  (latest?.status === 'submitted' ? currentPeriod(subscription) : usablePeriod(subscription)).end

/** A subscription that ends with its period is charged no more, also when a charge under way fails. */
const untilEnd = (subscription: BillingSubscription, latest: Charge | null): Schedule => ({
  nextChargeAt: null,
  dueAt: endsAt(subscription, latest),
})

/** A charge under way has no time limit: its end decides. */
function scheduleFirst(subscription: BillingSubscription, open: Charge | null): Schedule {
  if (open === null) return { nextChargeAt: null, dueAt: incompleteUntil(subscription) }
  const { status, nextAttemptAt } = open
  if (status === 'submitted') return { nextChargeAt: nextAttemptAt, dueAt: null }
  const retryAt = status === 'failed' ? nextAttemptAt : null
  return { nextChargeAt: nextAttemptAt, dueAt: earliest(incompleteUntil(subscription), retryAt) }
}

function scheduleOpen(subscription: BillingSubscription, open: Charge): Schedule {
  const { end } = currentPeriod(subscription)
  if (open.status === 'submitted') return { nextChargeAt: open.nextAttemptAt, dueAt: end }
  const until = dunningUntil(subscription)
  const lapse = lapsesAt(subscription, open)
  // A charge that was not tried yet is made after the end of its period as well.
  if (lapse === null) return { nextChargeAt: open.nextAttemptAt, dueAt: earliest(end, until) }
  const retryAt = open.status === 'failed' ? open.nextAttemptAt : null
  const followsAt = until === null || end < until ? end : null
  const next = earliest(open.nextAttemptAt, followsAt)
  return {
    nextChargeAt: next !== null && next < end ? next : followsAt,
    dueAt: earliest(end, until, lapse, retryAt),
  }
}

function schedulePeriod(subscription: BillingSubscription, latest: Charge | null): Schedule {
  const { end, start } = currentPeriod(subscription)
  const isCovered = remainingAmount(subscription) >= nextAmount(subscription)
  const at = chargeableAt(subscription, latest)
  if (at !== null)
    return isCovered ? { nextChargeAt: at, dueAt: earliest(at, end) } : { nextChargeAt: null, dueAt: start }
  return { nextChargeAt: isCovered ? end : null, dueAt: end }
}
