import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bucketsOf,
  isTimeZone,
  MAX_BUCKETS,
  STATS_INTERVALS,
  type StatsInterval,
  type TimeRange,
} from '#core/stats/calendar.ts'
import { type Cover, coverOf, ROLLUP_SPANS, type Run } from '#core/stats/rollup.ts'

// Buckets follow the calendar of a zone, which Intl tells independently of the code under test.
describe('the calendar', () => {
  const MINUTE = 60_000
  const HOUR = 60 * MINUTE
  const DAY = 24 * HOUR

  const ZONES = [
    'UTC',
    'America/New_York',
    'America/Sao_Paulo',
    'America/Havana',
    'Africa/Cairo',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Europe/Berlin',
    'Pacific/Apia',
    'Pacific/Chatham',
  ]

  const formats = new Map<string, Intl.DateTimeFormat>()
  function partsOf(at: number, timeZone: string) {
    const format =
      formats.get(timeZone) ??
      new Intl.DateTimeFormat('en-u-hc-h23', {
        timeZone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
      })
    formats.set(timeZone, format)
    return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  }

  /** The interval of the local calendar that contains an instant. */
  function labelOf(at: number, interval: StatsInterval, timeZone: string): string {
    const { year, month, day, hour } = partsOf(at, timeZone)
    if (interval === 'month') return `${year}-${month}`
    if (interval === 'day') return `${year}-${month}-${day}`
    if (interval === 'hour') return `${year}-${month}-${day} ${hour}`
    const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
    const sinceMonday = (new Date(date).getUTCDay() + 6) % 7
    return new Date(date - sinceMonday * DAY).toISOString().slice(0, 10)
  }

  const range = (from: string, to: string): TimeRange => ({ from: new Date(from), to: new Date(to) })
  const hoursOf = (buckets: readonly TimeRange[] | null) =>
    buckets?.map(({ from, to }) => (to.getTime() - from.getTime()) / HOUR)

  const anyRange = fc
    .record({
      from: fc.integer({ min: Date.UTC(2007, 0), max: Date.UTC(2035, 0) }),
      interval: fc.constantFrom(...STATS_INTERVALS),
      zone: fc.constantFrom(...ZONES),
      buckets: fc.integer({ min: 0, max: 60 }),
    })
    .map(({ from, interval, zone, buckets }) => {
      const length = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY }[interval] * buckets
      return { from, to: from + length, interval, zone }
    })

  describe('buckets', () => {
    test('are the range, without gap or overlap', () => {
      fc.assert(
        fc.property(anyRange, ({ from, to, interval, zone }) => {
          const buckets = bucketsOf({ from: new Date(from), to: new Date(to) }, interval, zone) ?? []
          const bounds = [...buckets.map((bucket) => bucket.from.getTime()), buckets.at(-1)?.to.getTime() ?? from]
          expect([bounds[0], bounds.at(-1)]).toEqual([from, to])
          expect(bounds).toEqual([...new Set(bounds)].sort((a, b) => a - b))
          for (const [at, bucket] of buckets.entries()) expect(bucket.to.getTime()).toBe(bounds[at + 1])
        }),
      )
    })

    test('contain one interval of the local calendar each', () => {
      fc.assert(
        fc.property(anyRange, ({ from, to, interval, zone }) => {
          const buckets = bucketsOf({ from: new Date(from), to: new Date(to) }, interval, zone) ?? []
          for (const bucket of buckets) {
            const [start, end] = [bucket.from.getTime(), bucket.to.getTime() - 1]
            const label = labelOf(start, interval, zone)
            for (let part = 0; part <= 8; part += 1) {
              expect(labelOf(start + Math.floor(((end - start) * part) / 8), interval, zone)).toBe(label)
            }
            const isNamesake = labelOf(end + 1, interval, zone) === label
            // The clock goes back by an hour: two hours have one name.
            if (bucket !== buckets.at(-1) && isNamesake)
              expect([interval, end + 1 - start <= HOUR]).toEqual(['hour', true])
          }
        }),
        { numRuns: 300 },
      )
    })

    test('of a day have 23 hours when the clock goes forward and 25 when it goes back', () => {
      const spring = range('2026-03-07T05:00:00Z', '2026-03-10T04:00:00Z')
      expect(hoursOf(bucketsOf(spring, 'day', 'America/New_York'))).toEqual([24, 23, 24])
      const autumn = range('2026-10-31T04:00:00Z', '2026-11-03T05:00:00Z')
      expect(hoursOf(bucketsOf(autumn, 'day', 'America/New_York'))).toEqual([24, 25, 24])
    })

    test('begin at half hours and at quarters of an hour where the zone does', () => {
      const july = range('2026-07-01T00:00:00Z', '2026-07-03T00:00:00Z')
      const starts = (zone: string) => bucketsOf(july, 'day', zone)?.map(({ from }) => from.toISOString().slice(11, 16))
      expect(starts('Asia/Kolkata')).toEqual(['00:00', '18:30', '18:30'])
      expect(starts('Asia/Kathmandu')).toEqual(['00:00', '18:15', '18:15'])
    })

    test('leave out a day that a zone left out', () => {
      const apia = range('2011-12-29T10:00:00Z', '2012-01-01T10:00:00Z')
      const days = bucketsOf(apia, 'day', 'Pacific/Apia')?.map(({ from }) =>
        labelOf(from.getTime(), 'day', 'Pacific/Apia'),
      )
      expect(days).toEqual(['2011-12-29', '2011-12-31', '2012-01-01'])
    })

    test('keep both hours when the clock goes back by an hour', () => {
      const night = range('2026-11-01T05:00:00Z', '2026-11-01T08:00:00Z')
      expect(hoursOf(bucketsOf(night, 'hour', 'America/New_York'))).toEqual([1, 1, 1])
    })

    test('divide an hour where the clock goes back out of its middle', () => {
      const night = range('2011-04-02T12:15:00Z', '2011-04-02T15:15:00Z')
      expect(hoursOf(bucketsOf(night, 'hour', 'Pacific/Chatham'))).toEqual([1, 0.75, 0.25, 1])
    })

    test('of an hour that is repeated by half last 90 minutes', () => {
      const night = range('2026-04-04T14:00:00Z', '2026-04-04T16:30:00Z')
      expect(hoursOf(bucketsOf(night, 'hour', 'Australia/Lord_Howe'))).toEqual([1.5, 1])
    })

    test('of a week begin on Monday, and of a month on its first day', () => {
      const weeks = bucketsOf(range('2026-07-01T00:00:00Z', '2026-07-15T00:00:00Z'), 'week', 'UTC')
      expect(weeks?.map(({ from }) => from.toISOString().slice(0, 10))).toEqual([
        '2026-07-01',
        '2026-07-06',
        '2026-07-13',
      ])
      const months = bucketsOf(range('2026-01-31T00:00:00Z', '2026-04-01T00:00:00Z'), 'month', 'UTC')
      expect(months?.map(({ from }) => from.toISOString().slice(0, 10))).toEqual([
        '2026-01-31',
        '2026-02-01',
        '2026-03-01',
      ])
    })

    test('are at most a thousand', () => {
      const from = new Date('2026-01-01T00:00:00Z')
      const count = (hours: number) =>
        bucketsOf({ from, to: new Date(from.getTime() + hours * HOUR) }, 'hour', 'Europe/Berlin')?.length
      expect(count(MAX_BUCKETS)).toBe(MAX_BUCKETS)
      expect(count(MAX_BUCKETS + 1)).toBeUndefined()
      expect(bucketsOf(range('0001-01-01T00:00:00Z', '9999-01-01T00:00:00Z'), 'hour', 'UTC')).toBeNull()
    })

    test('of an empty range are none', () => {
      expect(bucketsOf(range('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'), 'day', 'UTC')).toEqual([])
    })
  })

  test('a time zone is a name of the IANA database', () => {
    for (const name of [...ZONES, 'Etc/GMT+5', 'US/Eastern', 'asia/kolkata']) expect(isTimeZone(name)).toBe(true)
    for (const name of ['', 'Mars/Olympus', '+05:30', '-03', 'Z0', 'Europe/', ' UTC'])
      expect(isTimeZone(name)).toBe(false)
  })
})

// The rows of rollups that are read for ranges are exactly these ranges.
describe('a rollup', () => {
  const QUARTER_MS = 900_000
  const DAY_MS = 86_400_000
  const days = (count: number) => count * DAY_MS
  const at = fc.oneof(
    fc.integer({ min: days(-3), max: days(40) }),
    fc.integer({ min: -3 * 96, max: 40 * 96 }).map((quarter) => quarter * QUARTER_MS),
  )
  const bounds = fc.uniqueArray(at, { minLength: 2, maxLength: 8 }).map((some) => some.sort((a, b) => a - b))

  const allRunsOf = ({ runs, shifts }: Cover): readonly Run[] => [...runs, ...shifts.flatMap((shift) => shift.runs)]
  const rowsOf = (cover: Cover): number =>
    allRunsOf(cover).reduce((rows, { span, from, to }) => (span === 0 ? rows : rows + (to - from) / (span * 1_000)), 0)

  test('each span is a multiple of the next', () => {
    for (const [place, span] of ROLLUP_SPANS.slice(1).entries()) expect((ROLLUP_SPANS[place] ?? 0) % span).toBe(0)
  })

  test('what is counted in each range is the range, to the millisecond', () => {
    fc.assert(
      fc.property(bounds, (given) => {
        const { bounds: divided, runs, shifts } = coverOf(given)
        const counted = divided.slice(1).map((to, place) => to - (divided[place] ?? 0))
        for (const { from, to, runs: shifted } of shifts) {
          const ms = shifted.reduce((sum, run) => sum + run.to - run.from, 0)
          counted[from] = (counted[from] ?? 0) - ms
          counted[to] = (counted[to] ?? 0) + ms
        }
        expect(counted).toEqual(given.slice(1).map((to, place) => to - (given[place] ?? 0)))
        const ends = [divided[0], ...runs.map(({ to }) => to)]
        expect(runs.map(({ from }) => from)).toEqual(ends.slice(0, -1))
        expect([ends[0], ends.at(-1)]).toEqual([given[0], given.at(-1)])
      }),
    )
  })

  test('what is counted in the other range is between a bound and the place where it is divided', () => {
    fc.assert(
      fc.property(bounds, (given) => {
        const { bounds: divided, shifts } = coverOf(given)
        expect(divided).toEqual(divided.toSorted((a, b) => a - b))
        given.forEach((bound, place) => {
          const midnight = divided[place] ?? 0
          const later = new Map<number, number>()
          for (const { from, to, runs } of shifts.filter((shift) => Math.max(shift.from, shift.to) === place))
            for (const run of runs)
              for (let at = run.from; at < run.to; at += QUARTER_MS)
                later.set(at, (later.get(at) ?? 0) + Math.sign(to - from))
          const [first, end] = midnight > bound ? [bound, midnight] : [midnight, bound]
          const between = Array.from({ length: (end - first) / QUARTER_MS }, (_, at) => first + at * QUARTER_MS)
          const moved = [...later].filter(([, times]) => times !== 0).toSorted(([a], [b]) => a - b)
          expect(moved).toEqual(between.map((at) => [at, Math.sign(midnight - bound)]))
        })
      }),
    )
  })

  test('a run consists of whole spans, and no span crosses the place where ranges are divided', () => {
    fc.assert(
      fc.property(bounds, (given) => {
        const cover = coverOf(given)
        for (const { span, from, to } of allRunsOf(cover)) {
          expect(from).toBeLessThan(to)
          if (span === 0) continue
          const ms = span * 1_000
          expect([Math.abs(from % ms), Math.abs(to % ms)]).toEqual([0, 0])
        }
        for (const { span, from, to } of cover.runs.filter((run) => run.span > 0))
          for (const bound of cover.bounds)
            if (from < bound && bound < to) expect(Math.abs(bound % (span * 1_000))).toBe(0)
      }),
    )
  })

  test('payments themselves are read for less than a quarter of an hour at each side of a bound, and once', () => {
    fc.assert(
      fc.property(bounds, (given) => {
        const { runs, shifts } = coverOf(given)
        const unaligned = runs.filter(({ span }) => span === 0)
        const ms = unaligned.reduce((sum, { from, to }) => sum + to - from, 0)
        expect(ms).toBeLessThan(given.length * 2 * QUARTER_MS)
        for (const shift of shifts) expect(shift.runs.every(({ span }) => span > 0)).toBe(true)
      }),
    )
  })

  test('days of UTC are one run', () => {
    const bounds = Array.from({ length: 366 }, (_, day) => days(day))
    expect(coverOf(bounds)).toEqual({ bounds, runs: [{ span: 86_400, from: 0, to: days(365) }], shifts: [] })
  })

  test('a year is read from sixty rows of an asset at most, wherever it begins', () => {
    fc.assert(
      fc.property(at, (from) => {
        expect(rowsOf(coverOf([from, from + days(365)]))).toBeLessThanOrEqual(60)
      }),
    )
  })

  test('hours are one run', () => {
    const bounds = Array.from({ length: 49 }, (_, hour) => hour * 3_600_000)
    expect(coverOf(bounds)).toEqual({ bounds, runs: [{ span: 3_600, from: 0, to: days(2) }], shifts: [] })
  })

  test.each([
    ['Europe/Berlin', 3],
    ['America/New_York', 3],
    ['Asia/Kolkata', 3],
    ['Asia/Kathmandu', 3],
    ['Asia/Tokyo', 3],
    ['America/Los_Angeles', 4],
    ['Australia/Adelaide', 5],
    ['Pacific/Auckland', 4],
  ])('a day of a year of %s is read from %s rows of an asset at most, on average', (zone, most) => {
    const year = { from: new Date('2025-11-20T07:03:00Z'), to: new Date('2026-11-20T07:03:00Z') }
    const buckets = bucketsOf(year, 'day', zone) ?? []
    const rows = rowsOf(coverOf([...buckets.map(({ from }) => from.getTime()), year.to.getTime()]))
    expect(rows / buckets.length).toBeLessThan(most + 0.1)
  })
})
