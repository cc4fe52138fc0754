// The periods that figures are shown of. Each consists of whole hours, days or weeks where the reader is, and ends with the present one.

export const PERIODS = ['24h', '7d', '30d', '90d', '1y'] as const
export type Period = (typeof PERIODS)[number]

export const isPeriod = (text: string | undefined): text is Period => PERIODS.some((period) => period === text)

/** The time zone of the reader. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const HOUR_MS = 3_600_000
const DAYS = { '7d': 7, '30d': 30, '90d': 90, '1y': 364 } as const

export type Range = {
  /** The begin of the period before, which is as long. */
  readonly before: string
  readonly from: string
  readonly to: string
  readonly interval: 'hour' | 'day' | 'week'
}

/** Returns the range of a period, at a time that the service says: the clock of a sandbox can be moved. */
export function rangeOf(period: Period, nowIso: string): Range {
  const now = new Date(nowIso)
  if (period === '24h') {
    const to = Math.floor(now.getTime() / HOUR_MS + 1) * HOUR_MS
    const [before, from, end] = [48, 24, 0].map((hours) => new Date(to - hours * HOUR_MS).toISOString())
    return { before: before ?? '', from: from ?? '', to: end ?? '', interval: 'hour' }
  }
  const isYear = period === '1y'
  // A week begins on Monday.
  const left = isYear ? 7 - ((now.getDay() + 6) % 7) : 1
  const midnight = (days: number): string =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + left - days).toISOString()
  const days = DAYS[period]
  return { before: midnight(2 * days), from: midnight(days), to: midnight(0), interval: isYear ? 'week' : 'day' }
}
