// The calendar of a subscription: period n begins n intervals after the anchor, in calendar arithmetic in UTC.
// docs/billing.md, "Subscriptions".
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Interval } from '#core/billing/tier.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export type Calendar = {
  readonly anchor: Date
  /** The period that begins at the anchor. Earlier periods are not in the calendar. */
  readonly anchorPeriod: number
  readonly interval: Interval
  readonly intervalCount: number
}

export type Period = { readonly index: number; readonly start: Date; readonly end: Date }

/** Returns null while the first charge is not final: there is no calendar yet. */
export const calendarOf = ({
  anchor,
  anchorPeriod,
  interval,
  intervalCount,
}: Pick<BillingSubscription, 'anchor' | 'anchorPeriod' | 'interval' | 'intervalCount'>): Calendar | null =>
  anchor === null ? null : { anchor, anchorPeriod, interval, intervalCount }

/** Returns period `index` of the calendar. Throws RangeError for a period before the anchor. */
export const periodOf = (calendar: Calendar, index: number): Period => ({
  index,
  start: startOf(calendar, index),
  end: startOf(calendar, index + 1),
})

/** Returns the period that contains the instant: its start belongs to it, its end to the next. Throws RangeError before the anchor. */
export function periodAt(calendar: Calendar, at: Date): Period {
  const { anchor, anchorPeriod, interval, intervalCount } = calendar
  const elapsed = at.getTime() - anchor.getTime()
  // Never more than the true number: no interval of its kind is longer.
  let index = anchorPeriod + Math.max(0, Math.floor(elapsed / (MAX_DAYS[interval] * DAY_MS * intervalCount)))
  while (startOf(calendar, index + 1) <= at) index += 1
  return periodOf(calendar, index)
}

const MAX_DAYS: Readonly<Record<Interval, number>> = { day: 1, week: 7, month: 31, year: 366 }

/** Counts from the anchor each time, so that a short month does not shorten the months after it. */
function startOf({ anchor, anchorPeriod, interval, intervalCount }: Calendar, index: number): Date {
  if (index < anchorPeriod) throw new RangeError(`period ${index} is before the calendar`)
  const count = (index - anchorPeriod) * intervalCount
  switch (interval) {
    case 'day':
      return new Date(anchor.getTime() + count * DAY_MS)
    case 'week':
      return new Date(anchor.getTime() + count * 7 * DAY_MS)
    case 'month':
      return addMonths(anchor, count)
    case 'year':
      return addMonths(anchor, 12 * count)
  }
}

/** Returns the same day and time of a later month, or the last day of a month that is too short. */
function addMonths(from: Date, months: number): Date {
  const moved = new Date(from)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  const lastDay = new Date(moved)
  lastDay.setUTCMonth(moved.getUTCMonth() + 1, 0)
  moved.setUTCDate(Math.min(from.getUTCDate(), lastDay.getUTCDate()))
  return moved
}

/** Sixteenths of a day: 30.4375 days in a month, 365.25 in a year. */
const SIXTEENTHS: Readonly<Record<Interval, bigint>> = { day: 16n, week: 112n, month: 487n, year: 5_844n }

/** An amount for each period, and the length of the period. */
export type Rate = Pick<Calendar, 'interval' | 'intervalCount'> & { readonly unitAmount: bigint }

/** Returns whether `next` costs more for each day than `present`. Exact. */
export const costsMorePerDay = (next: Rate, present: Rate): boolean =>
  next.unitAmount * lengthOf(present) > present.unitAmount * lengthOf(next)

const lengthOf = ({ interval, intervalCount }: Rate): bigint => SIXTEENTHS[interval] * BigInt(intervalCount)
