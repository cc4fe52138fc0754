import { describe, expect, it, test } from 'vitest'
import { createSlots, createTurns, forEachParallel, mapParallel } from '#lib/parallel.ts'

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

describe('map parallel', () => {
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
})

describe('slots', () => {
  it('runs as many pieces of work at once as there are slots, and the next one when one of them ends or fails', async () => {
    const inSlot = createSlots(2)
    const started: number[] = []
    const work = [0, 1, 2, 3].map((number) => ({ number, ...Promise.withResolvers<number>() }))
    const results = work.map(({ number, promise }) =>
      inSlot(() => {
        started.push(number)
        return promise
      }),
    )
    const settled = Promise.allSettled(results)
    expect(started).toEqual([0, 1])
    work[1]?.reject(new Error('broken'))
    await expect(results[1]).rejects.toThrow('broken')
    await Promise.resolve()
    expect(started).toEqual([0, 1, 2])
    for (const { number, resolve } of work) resolve(number)
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(await inSlot(async () => 'free again')).toBe('free again')
  })
})

describe('turns', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  test('work on one thing runs one after the other, in the order of the calls, and other work runs in parallel', async () => {
    const turns = createTurns()
    const log: string[] = []
    const ends: Record<string, () => void> = {}
    const work = (name: string) => async () => {
      log.push(name)
      await new Promise<void>((resolve) => {
        ends[name] = resolve
      })
      return name
    }
    const results = [turns('a', work('a1')), turns('a', work('a2')), turns('a', work('a3')), turns('b', work('b1'))]
    await settled()
    expect(log).toEqual(['a1', 'b1'])
    for (const name of ['a1', 'a2', 'a3', 'b1']) {
      ends[name]?.()
      await settled()
    }
    expect(log).toEqual(['a1', 'b1', 'a2', 'a3'])
    expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b1'])
  })

  test('a turn that fails rejects its own call, and the next one runs all the same', async () => {
    const turns = createTurns()
    const first = turns('a', async () => {
      throw new Error('away')
    })
    const second = turns('a', async () => 2)
    await expect(first).rejects.toThrow('away')
    expect(await second).toBe(2)
    expect(await turns('a', async () => 3)).toBe(3)
  })
})
