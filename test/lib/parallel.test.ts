import { describe, expect, test } from 'vitest'
import { forEachParallel } from '#lib/parallel.ts'

describe('many things at once', () => {
  test('are each done once, and never more than the limit at a time', async () => {
    let running = 0
    let most = 0
    const done: number[] = []
    await forEachParallel(
      Array.from({ length: 50 }, (_, at) => at),
      4,
      async (item) => {
        running += 1
        most = Math.max(most, running)
        await new Promise(setImmediate)
        running -= 1
        done.push(item)
      },
    )
    expect(most).toBe(4)
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at))
  })

  test('are all tried although one fails, and the first failure is thrown afterwards', async () => {
    const tried: number[] = []
    const work = forEachParallel([1, 2, 3, 4, 5], 2, async (item) => {
      tried.push(item)
      if (item % 2 === 0) throw new Error(`no ${item}`)
    })
    await expect(work).rejects.toThrow('no 2')
    expect(tried.sort()).toEqual([1, 2, 3, 4, 5])
  })

  test('are nothing when there are none', async () => {
    await forEachParallel([], 3, () => Promise.reject(new Error('not expected here')))
  })
})
