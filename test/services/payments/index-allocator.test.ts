import { describe, expect, test } from 'vitest'
import { createIndexAllocator } from '#services/payments/index-allocator.ts'

function allocator(answer: (block: number) => Promise<void> = async () => {}) {
  let next = 1
  let blocks = 0
  let largest = 0
  const allocate = createIndexAllocator({
    async reserveIndexes(count) {
      blocks += 1
      largest = Math.max(largest, count)
      await answer(blocks)
      return Array.from({ length: count }, () => next++)
    },
  })
  return { allocate, blocks: () => blocks, largest: () => largest, reserved: () => next - 1 }
}

describe('derivation indexes', () => {
  test('are returned once each, also to concurrent requests', async () => {
    const { allocate, blocks } = allocator()
    const indexes = await Promise.all(Array.from({ length: 1_000 }, allocate))
    expect(new Set(indexes).size).toBe(1_000)
    expect(Math.min(...indexes)).toBe(1)
    expect(blocks()).toBeLessThan(12)
  })

  test('are reserved in blocks, and the next block is fetched before it is needed', async () => {
    const { allocate, blocks } = allocator()
    for (let count = 0; count < 16; count += 1) await allocate()
    expect(blocks()).toBe(1)
    await allocate()
    expect(blocks()).toBe(2)
  })

  test('are reserved in blocks that grow with the use: small at first, and about a thousand at most', async () => {
    const { allocate, blocks, largest, reserved } = allocator()
    for (let used = 1; used <= 20_000; used += 1) {
      await allocate()
      expect(reserved() - used).toBeLessThanOrEqual(Math.max(64, 2 * used))
    }
    expect(largest()).toBe(1_024)
    expect(blocks()).toBeLessThan(40)
  })

  test('are not blocked by a prefetch that failed', async () => {
    const { allocate, blocks } = allocator(async (block) => {
      if (block === 2) throw new Error('the database is away')
    })
    const indexes: number[] = []
    for (let count = 0; count < 200; count += 1) indexes.push(await allocate())
    expect(new Set(indexes).size).toBe(200)
    expect(blocks()).toBeGreaterThan(2)
  })

  test('fail for each request that finds none left, and return when the database does', async () => {
    let away = true
    const { allocate } = allocator(async () => {
      if (away) throw new Error('the database is away')
    })
    await expect(Promise.all([allocate(), allocate()])).rejects.toThrow('the database is away')
    away = false
    expect(await allocate()).toBe(1)
  })
})
