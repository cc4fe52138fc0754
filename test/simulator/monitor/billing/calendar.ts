// The periods of a subscription by the calendar of Temporal, so that a mistake in the service's own arithmetic is noticed.
import { Temporal } from 'temporal-polyfill'
import type { Interval } from '#core/billing/tier.ts'

export type Rhythm = { readonly interval: Interval; readonly intervalCount: number }

/** Returns when period `index` begins: that many intervals after the anchor, in UTC. Times are in milliseconds. */
export function periodStart(anchor: number, { interval, intervalCount }: Rhythm, index: number): number {
  const from = Temporal.Instant.fromEpochMilliseconds(anchor).toZonedDateTimeISO('UTC')
  const count = index * intervalCount
  const units = { day: { days: count }, week: { weeks: count }, month: { months: count }, year: { years: count } }
  return from.add(units[interval]).epochMilliseconds
}
