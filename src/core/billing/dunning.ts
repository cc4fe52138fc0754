// The times at which a failed charge is tried again. docs/billing.md, "Charges".
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/billing/calendar.ts'
import type { Charge } from '#core/billing/charge.ts'

/** Milliseconds from the first failed try to the second, and so on; every later wait is a day. */
export const RETRY_DELAYS_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 20 * HOUR_MS] as const

/** How long a past-due subscription is tried, from the first failure. */
export const DUNNING_MS = 7 * DAY_MS

/** How long the first charge is tried, from the completion of the checkout. */
export const INCOMPLETE_MS = 23 * HOUR_MS

/** How long a charge is tried every hour while the payout account, or the service itself, is the obstacle. */
const OBSTACLE_HOURLY_MS = DAY_MS

/** The least time between two charges of missed periods, after the service was down. */
export const CATCH_UP_MS = DAY_MS

export const later = (from: Date, ms: number): Date => new Date(from.getTime() + ms)

/** Returns the time of the next try after failure number `failures`, which is now, however late that try was. */
export const nextTryAt = (failures: number, now: Date): Date => later(now, RETRY_DELAYS_MS[failures - 1] ?? DAY_MS)

/**
 * Returns the time of the next try while the payout account, or the service itself, is the obstacle: an hour later on the first
 * day, and then a day later, so that a charge of a year does not fail, and report that, thousands of times.
 */
export function nextTryPastObstacle(firstFailedAt: Date, now: Date): Date {
  return later(now, now < later(firstFailedAt, OBSTACLE_HOURLY_MS) ? HOUR_MS : DAY_MS)
}

/** Returns when an attempt of the charge may begin: now, or after the wait for its last failure on the chain. */
export const triableAt = ({ retryFrom }: Pick<Charge, 'retryFrom'>, now: Date): Date =>
  retryFrom !== null && retryFrom > now ? retryFrom : now

/**
 * Returns when the subscriber may ask for another try of a charge that has failed: as `triableAt`, and a minute after the failure,
 * because each failure emits an event and a webhook.
 */
export function askableAt(charge: Pick<Charge, 'retryFrom' | 'updatedAt'>, now: Date): Date {
  const triable = triableAt(charge, now)
  const askable = later(charge.updatedAt, MINUTE_MS)
  return askable > triable ? askable : triable
}

/** Returns the earliest of these times; null when there is none. */
export const earliest = (...times: readonly (Date | null)[]): Date | null =>
  times.reduce<Date | null>((first, time) => (time !== null && (first === null || time < first) ? time : first), null)
