import { expect, test } from 'vitest'
import { msSince } from '#lib/ms-since.ts'

test.each([
  [1_000, 1_000, 0],
  [1_000, 1_250, 250],
  [Number.NEGATIVE_INFINITY, 1_000, Number.POSITIVE_INFINITY],
])('from %d to %d are %d ms', (at, now, ms) => {
  expect(msSince(at, now)).toBe(ms)
})

test('a time in the future is longer ago than anything waits for: the clock was set back', () => {
  expect(msSince(1_001, 1_000)).toBe(Number.POSITIVE_INFINITY)
})
