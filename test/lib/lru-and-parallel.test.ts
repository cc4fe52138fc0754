import { expect, test } from 'vitest'
import { createLru } from '#lib/lru.ts'
import { mapParallel } from '#lib/parallel.ts'

test('a bounded memory forgets what was used longest ago', () => {
  const memory = createLru<string, number>(2)
  memory.set('a', 1)
  memory.set('b', 2)
  expect(memory.get('a')).toBe(1)
  memory.set('c', 3)
  expect([memory.get('a'), memory.get('b'), memory.get('c'), memory.size]).toEqual([1, undefined, 3, 2])
})

test('no more is done at once than allowed, and the results keep their order', async () => {
  let running = 0
  let most = 0
  const results = await mapParallel([30, 5, 20, 1, 10], 2, async (milliseconds) => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    running -= 1
    return milliseconds
  })
  expect(results).toEqual([30, 5, 20, 1, 10])
  expect(most).toBe(2)
})

test('the first failure is everyone’s, and nothing new is begun after it', async () => {
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    if (item === 2) throw new Error('the second')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await expect(mapParallel([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('the second')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(begun).toEqual([1, 2])
})
