import { describe, expect, test } from 'vitest'
import { msSince } from '#lib/time.ts'
import { inGroups } from '#lib/values.ts'

describe('groups', () => {
  test('groups are full but for the last, and none is made of nothing', () => {
    expect(inGroups([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
    expect(inGroups([], 2)).toEqual([])
  })
})

describe('ms since', () => {
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
})
