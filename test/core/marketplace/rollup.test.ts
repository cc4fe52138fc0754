// Runs of rollups are exactly the ranges that they stand for.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coverOf, ROLLUP_SPANS } from '#core/marketplace/rollup.ts'

const DAY_MS = 86_400_000
const at = fc.integer({ min: -3 * DAY_MS, max: 40 * DAY_MS })
const bounds = fc.uniqueArray(at, { minLength: 2, maxLength: 8 }).map((some) => some.sort((a, b) => a - b))

test('each span is a multiple of the next', () => {
  for (const [place, span] of ROLLUP_SPANS.slice(1).entries()) expect((ROLLUP_SPANS[place] ?? 0) % span).toBe(0)
})

test('runs follow one another from the first bound to the last one', () => {
  fc.assert(
    fc.property(bounds, (given) => {
      const runs = coverOf(given)
      const ends = [given[0], ...runs.map(({ to }) => to)]
      expect(runs.map(({ from }) => from)).toEqual(ends.slice(0, -1))
      expect(ends.at(-1)).toBe(given.at(-1))
    }),
  )
})

test('a run consists of whole spans, and no span crosses a bound', () => {
  fc.assert(
    fc.property(bounds, (given) => {
      for (const { span, from, to } of coverOf(given)) {
        expect(from).toBeLessThan(to)
        if (span === 0) continue
        const ms = span * 1_000
        expect([Math.abs(from % ms), Math.abs(to % ms)]).toEqual([0, 0])
        for (const bound of given) if (from < bound && bound < to) expect(Math.abs(bound % ms)).toBe(0)
      }
    }),
  )
})

test('payments themselves are read for less than a quarter of an hour at each side of a bound', () => {
  fc.assert(
    fc.property(bounds, (given) => {
      const unaligned = coverOf(given).filter(({ span }) => span === 0)
      const ms = unaligned.reduce((sum, { from, to }) => sum + to - from, 0)
      expect(ms).toBeLessThan(given.length * 2 * 900_000)
    }),
  )
})

test('days of UTC are one run', () => {
  const days = Array.from({ length: 366 }, (_, day) => day * DAY_MS)
  expect(coverOf(days)).toEqual([{ span: 86_400, from: 0, to: 365 * DAY_MS }])
})

test.each([
  ['Berlin', 1, 9],
  ['Kolkata', 5.5, 10],
  ['Kathmandu', 5.75, 11],
])('a day of %s, %s hours from UTC, is read from %s rows of an asset', (_zone, hours, least) => {
  const [from, to] = [DAY_MS, 2 * DAY_MS].map((day) => day - hours * 3_600_000)
  const rows = coverOf([from ?? 0, to ?? 0]).reduce((sum, run) => sum + (run.to - run.from) / (run.span * 1_000), 0)
  expect(rows).toBe(least)
})
