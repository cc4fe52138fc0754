import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBatcher } from '#lib/batcher.ts'
import { until } from '../support/until.ts'

type Options = { maxSize?: number; concurrency?: number; isSharedFailure?: (error: unknown) => boolean }

/** A batcher that doubles numbers; `flush` may do something else. */
function doubling(
  options: Options = {},
  flush: (items: readonly number[]) => Promise<readonly number[]> = async (items) => items.map((item) => 2 * item),
) {
  const batches: (readonly number[])[] = []
  const batcher = createBatcher<number, number>(
    async (items) => {
      batches.push(items)
      return await flush(items)
    },
    { maxSize: 10, concurrency: 1, isSharedFailure: () => false, ...options },
  )
  return { batcher, batches }
}
/** Enough turns of the event loop for all pending work. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('calls that arrive together', () => {
  test('share one batch, and each gets its own answer', async () => {
    const { batcher, batches } = doubling()
    expect(await Promise.all(numbers(8).map(batcher))).toEqual(numbers(8).map((item) => 2 * item))
    expect(batches).toHaveLength(1)
  })

  test('are split at the size that a batch may have', async () => {
    const { batcher, batches } = doubling()
    await Promise.all(numbers(25).map(batcher))
    expect(batches.map((batch) => batch.length)).toEqual([10, 10, 5])
  })

  test('are divided evenly among the statements that may be under way', async () => {
    const { batcher, batches } = doubling({ maxSize: 100, concurrency: 2 })
    await Promise.all(numbers(40).map(batcher))
    expect(batches.map((batch) => batch.length)).toEqual([20, 20])
  })

  test('are not sent a few at a time next to a full statement: they wait for more calls, or for its end', async () => {
    // On any machine, time passes only with the turns of the event loop.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const gates: (() => void)[] = []
    const { batcher, batches } = doubling({ maxSize: 100, concurrency: 2 }, async (items) => {
      await new Promise<void>((open) => gates.push(open))
      return items
    })
    void numbers(40).map(batcher)
    await turns()
    gates.shift()?.()
    await turns()
    void numbers(5).map(batcher)
    await turns()
    expect(batches.map((batch) => batch.length)).toEqual([20, 20])
    gates.shift()?.()
    await turns()
    expect(batches.map((batch) => batch.length)).toEqual([20, 20, 3, 2])
  })

  test('wait only a short time for a statement that is stuck', async () => {
    const { batcher, batches } = doubling({ maxSize: 10, concurrency: 2 }, (items) =>
      items.includes(0) ? new Promise(() => {}) : Promise.resolve(items),
    )
    void numbers(9).map(batcher)
    await until(() => batches.length === 2)
    expect(await batcher(10)).toBe(10)
  })

  test('do not wait for others: the first is sent at once, and later calls are sent together', async () => {
    const gates: (() => void)[] = []
    const { batcher, batches } = doubling({}, async (items) => {
      await new Promise<void>((open) => gates.push(open))
      return items
    })
    const first = batcher(1)
    await new Promise(setImmediate)
    expect(batches).toEqual([[1]])
    const others = [2, 3, 4].map(batcher)
    await new Promise(setImmediate)
    expect(batches).toHaveLength(1)
    gates.shift()?.()
    await first
    await until(() => batches.length > 1)
    expect(batches).toEqual([[1], [2, 3, 4]])
    gates.shift()?.()
    await Promise.all(others)
  })

  test('never have more statements under way than allowed', async () => {
    let running = 0
    let most = 0
    const { batcher } = doubling({ maxSize: 2, concurrency: 3 }, async (items) => {
      running += 1
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running -= 1
      return items
    })
    await Promise.all(numbers(40).map(batcher))
    expect(most).toBe(3)
  })
})

describe('a batch that fails', () => {
  const bad = (items: readonly number[]) => {
    if (items.includes(3)) throw new Error('three is bad')
    return Promise.resolve(items)
  }

  test('costs the other items only time', async () => {
    const { batcher, batches } = doubling({}, async (items) => await bad(items))
    const answers = await Promise.allSettled(numbers(6).map(batcher))
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(batches.map((batch) => batch.length)).toEqual([6, 1, 1, 1, 1, 1, 1])
  })

  test('by a fault of no item fails for all at once, because single retries would only take longer', async () => {
    const { batcher, batches } = doubling({ isSharedFailure: () => true }, async (items) => await bad(items))
    const answers = await Promise.allSettled(numbers(6).map(batcher))
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    expect(batches).toHaveLength(1)
  })

  test('does not stop later batches', async () => {
    const { batcher } = doubling({ isSharedFailure: () => true }, async (items) => await bad(items))
    await expect(batcher(3)).rejects.toThrow('three is bad')
    expect(await batcher(4)).toBe(4)
  })

  test('with too few answers fails for the items without an answer', async () => {
    const { batcher } = doubling({}, async (items) => items.slice(0, 1))
    const answers = await Promise.allSettled([batcher(1), batcher(2)])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})
