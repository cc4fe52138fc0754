// The spans of time of a marketplace's figures: whole days, weeks or months of a time zone, up to now.

export const INTERVALS = ['day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** How many of them are shown. */
const COUNTS: Readonly<Record<Interval, number>> = { day: 30, week: 13, month: 12 }

/** The time zone of the reader. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
export const ZONES: readonly string[] = [...new Set([OWN_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])]

const DAY_MS = 86_400_000

/** Returns the begin of the span that ends at a time. */
export function beginOf(interval: Interval, zone: string, nowIso: string): string {
  const count = COUNTS[interval]
  // The date in the zone, as if it were one in UTC.
  const today = new Date(wallClock(Date.parse(nowIso), zone))
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()]
  if (interval === 'month') return midnight(Date.UTC(year, month - count + 1, 1), zone)
  // A week begins on Monday.
  const back = interval === 'week' ? ((today.getUTCDay() + 6) % 7) + 7 * (count - 1) : count - 1
  return midnight(Date.UTC(year, month, day) - back * DAY_MS, zone)
}

/** Returns the time at which the clocks of a zone show a time of UTC. */
function midnight(shown: number, zone: string): string {
  const offset = (time: number): number => wallClock(time, zone) - time
  const near = shown - offset(shown)
  return new Date(shown - offset(near)).toISOString()
}

/** Returns what the clocks of a zone show, as a time of UTC. */
function wallClock(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-u-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(time)
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}
