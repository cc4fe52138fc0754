// The rows of rollups that are read for ranges are exactly these ranges.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketsOf } from '#core/stats/calendar.ts'
import { type Cover, coverOf, ROLLUP_SPANS, type Run } from '#core/stats/rollup.ts'

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
