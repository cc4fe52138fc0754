// Divides a range of time into calendar buckets of a time zone. docs/contract.md, "Stats".
import { Temporal } from 'temporal-polyfill'

export const STATS_INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type StatsInterval = (typeof STATS_INTERVALS)[number]

/** The most buckets that one answer has. */
export const MAX_BUCKETS = 1_000

const HOUR_MS = 3_600_000
/** No interval is longer. Clock changes add up to a few hours to a day. */
const MAX_MS: Readonly<Record<StatsInterval, number>> = {
  hour: 3 * HOUR_MS,
  day: 48 * HOUR_MS,
  week: 8 * 24 * HOUR_MS,
  month: 32 * 24 * HOUR_MS,
}

/** From inclusive, to exclusive. */
export type TimeRange = { readonly from: Date; readonly to: Date }

/** Returns whether the name is a zone of the IANA database, such as `Europe/Berlin` or `UTC`. An offset is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId !== ''
  } catch {
    return false
  }
}

/**
 * Returns the buckets of the range, in order. Together they are the range: the first one begins at `from` and the last one
 * ends at `to`, and every other bound is the start of an hour, day, week (Monday) or month in the zone. Returns null when
 * there are more than `MAX_BUCKETS`. Throws RangeError for an unknown zone.
 */
export function bucketsOf(range: TimeRange, interval: StatsInterval, timeZone: string): readonly TimeRange[] | null {
  const from = range.from.getTime()
  const to = range.to.getTime()
  if (to - from > MAX_BUCKETS * MAX_MS[interval]) return null
  const nextStart = startsAfter(from, interval, timeZone)
  const buckets: TimeRange[] = []
  for (let start = from; start < to; ) {
    if (buckets.length === MAX_BUCKETS) return null
    const end = Math.min(nextStart(), to)
    buckets.push({ from: new Date(start), to: new Date(end) })
    start = end
  }
  return buckets
}

/** Returns a function that gives the starts of the intervals after an instant, one with each call, in ms. */
function startsAfter(after: number, interval: StatsInterval, timeZone: string): () => number {
  let last = after
  const local = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone)
  const next = interval === 'hour' ? hoursAfter(after, timeZone) : datesAfter(local, interval)
  return () => {
    // A zone that leaves a day out gives the same start for two dates.
    let start = next()
    while (start <= last) start = next()
    last = start
    return start
  }
}

function datesAfter(local: Temporal.ZonedDateTime, interval: Exclude<StatsInterval, 'hour'>): () => number {
  let date = firstDate(local.toPlainDate(), interval)
  const step = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[interval]
  return () => {
    date = date.add(step)
    return date.toZonedDateTime(local.timeZoneId).epochMilliseconds
  }
}

/** Returns the first date of the interval that contains the date. */
function firstDate(date: Temporal.PlainDate, interval: Exclude<StatsInterval, 'hour'>): Temporal.PlainDate {
  if (interval === 'month') return date.with({ day: 1 })
  return interval === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date
}

/**
 * Gives each start of a local hour. Where a change of the clock leads into another hour, that hour begins at the change;
 * where the clock goes back by half an hour inside an hour, that hour lasts 90 minutes.
 */
function hoursAfter(after: number, timeZone: string): () => number {
  let local = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone)
  return () => {
    local = nextHour(local)
    return local.epochMilliseconds
  }
}

/** Returns the start of the local hour that follows. */
function nextHour(local: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const sinceStart = (local.minute * 60 + local.second) * 1_000 + local.millisecond
  const next = local.add({ milliseconds: HOUR_MS - sinceStart })
  if (next.offsetNanoseconds === local.offsetNanoseconds) return next
  const change = local.getTimeZoneTransition('next') ?? next
  const isInside = change.hour === local.hour && change.minute > 0
  return isInside ? nextHour(change) : change
}

/** The first moment of year 0, in ms. It is before every bound that is accepted. */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z')
/** The last moment that RFC 3339 can write in UTC, in ms. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Returns the nearest bound that RFC 3339 can write in UTC, for a time in ms. A time of year 0 or 9999 with an offset can be
 * outside it. No payment is that old or that new, so the bound includes and excludes the same payments.
 */
export const clampBound = (ms: number): Date => new Date(Math.min(Math.max(ms, FIRST), LAST))
