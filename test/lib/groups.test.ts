import { expect, test } from 'vitest'
import { inGroups } from '#lib/groups.ts'

test('groups are full but for the last, and none is made of nothing', () => {
  expect(inGroups([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(inGroups([], 2)).toEqual([])
})
