// The periods of a subscription: the current one, the next to charge, and how many more the slice covers.
import { calendarOf, type Period, periodAt, periodOf } from '#core/billing/calendar.ts'
import type { Charge } from '#core/billing/charge.ts'
import { periodsWithin } from '#core/billing/discount.ts'
import { CATCH_UP_MS, later } from '#core/billing/dunning.ts'
import { remainingAmount } from '#core/billing/room.ts'
import { type BillingSubscription, SUBSCRIPTION_POLICY } from './subscription.ts'

/** Returns whether the charge may still move money, or is to be tried again. A subscription has at most one open charge. */
export const isOpen = ({ status }: Pick<Charge, 'status'>): boolean =>
  status === 'pending' || status === 'submitted' || status === 'failed'

/** Returns the stored current period. Throws when the subscription has no calendar yet. */
export function currentPeriod({ periodIndex, currentPeriodStart, currentPeriodEnd }: BillingSubscription): Period {
  if (currentPeriodStart === null || currentPeriodEnd === null)
    throw new Error('no period begins before the first charge')
  return { index: periodIndex, start: currentPeriodStart, end: currentPeriodEnd }
}

/** Returns the fields of a subscription whose current period is this one. */
export const inPeriod = ({ index, start, end }: Period) => ({
  periodIndex: index,
  currentPeriodStart: start,
  currentPeriodEnd: end,
})

/** Returns the period that the subscriber may use to its end, also when billing has stopped: while nothing was ever paid, the trial. */
export function usablePeriod(subscription: BillingSubscription): Period {
  const { trialEndsAt, activatedAt, createdAt } = subscription
  return trialEndsAt === null || activatedAt !== null
    ? currentPeriod(subscription)
    : { index: 0, start: createdAt, end: trialEndsAt }
}

/** Returns whether the trial is over, and nothing was ever paid: no period is left to use. */
export const isNeverPaid = (subscription: BillingSubscription): boolean =>
  usablePeriod(subscription).index !== subscription.periodIndex

/** Returns the period that contains the moment, or the current one while its end is not reached. */
export function periodContaining(subscription: BillingSubscription, at: Date): Period {
  const current = currentPeriod(subscription)
  const calendar = calendarOf(subscription)
  return calendar === null || at < current.end ? current : periodAt(calendar, at)
}

/** Returns the next period to charge, which has begun; null when every period that has begun is paid or passed over. */
export function periodToCharge(subscription: BillingSubscription): Period | null {
  const { nextChargePeriod: index, periodIndex } = subscription
  const calendar = calendarOf(subscription)
  if (index > periodIndex || calendar === null) return null
  return index === periodIndex ? currentPeriod(subscription) : periodOf(calendar, index)
}

/** Returns when the next period that has begun may be charged: missed periods are charged at most one a day. */
export function chargeableAt(subscription: BillingSubscription, latest: Charge | null): Date | null {
  const period = periodToCharge(subscription)
  if (period === null) return null
  const isCatchingUp = period.index < subscription.periodIndex || (latest !== null && wasMissed(latest))
  if (!isCatchingUp || latest === null || latest.periodIndex === period.index) return period.start
  const dayLater = later(madeAt(latest), CATCH_UP_MS)
  return dayLater > period.start ? dayLater : period.start
}

/** Returns whether the charge was planned, or paid, after its period. */
const wasMissed = (charge: Charge): boolean => charge.periodEnd !== null && madeAt(charge) >= charge.periodEnd

/** A charge may have waited for long: its business was disabled, or beyond its budget. */
const madeAt = ({ createdAt, settledAt }: Charge): Date => settledAt ?? createdAt

/**
 * Returns the unpaid charge of the next period to charge: open, or canceled before it was paid. Its amount is that of the next charge,
 * because no change of tier takes place while there is one.
 */
export const unpaidCharge = (
  { nextChargePeriod }: Pick<BillingSubscription, 'nextChargePeriod'>,
  latest: Charge | null,
): Charge | null =>
  latest !== null && latest.status !== 'succeeded' && (isOpen(latest) || latest.periodIndex === nextChargePeriod)
    ? latest
    : null

/** Returns how many more periods the slice covers, an unpaid one included. */
export const remainingPeriods = (subscription: BillingSubscription): number =>
  periodsWithin(subscription, remainingAmount(subscription))

/**
 * Returns how many more payments a subscriber still allows, an unpaid one included. The authorization of a revoked subscription is
 * gone, and one that has ended uses it no more.
 */
export const paymentsLeft = (subscription: BillingSubscription): number =>
  subscription.status === 'revoked' || SUBSCRIPTION_POLICY[subscription.status].isFinal
    ? 0
    : remainingPeriods(subscription)

/** Returns how many periods have begun, and are neither paid nor passed over. */
export const unpaidPeriods = ({ periodIndex, nextChargePeriod }: BillingSubscription): number =>
  Math.max(0, periodIndex - nextChargePeriod + 1)
