import { beforeEach, describe, expect, it, test } from 'vitest'
import { createCache } from '#lib/cache.ts'
import { createByteLru, createLru } from '#lib/lru.ts'

describe('cache', () => {
  let now: number
  let loads: string[]
  let answer: (key: string) => Promise<string>
  const clock = { now: () => new Date(now) }
  const cache = () =>
    createCache(clock, (key: string) => {
      loads.push(key)
      return answer(key)
    })
  beforeEach(() => {
    now = 1_000_000
    loads = []
    answer = async (key) => `${key} at ${now}`
  })

  describe('a cached row', () => {
    test('is kept for five seconds, and not a moment longer', async () => {
      const { get } = cache()
      await get('a')
      now += 4_999
      expect(await get('a')).toBe('a at 1000000')
      now += 1
      expect(await get('a')).toBe('a at 1005000')
      expect(loads).toEqual(['a', 'a'])
    })

    test('is kept for another time when one is given', async () => {
      const { get } = createCache(clock, async (key: string) => `${key} at ${now}`, 60_000)
      await get('a')
      now += 59_999
      expect(await get('a')).toBe('a at 1000000')
      now += 1
      expect(await get('a')).toBe('a at 1060000')
    })

    test('is not kept past a clock that was set back', async () => {
      const { get } = cache()
      await get('a')
      now -= 1
      await get('a')
      expect(loads).toEqual(['a', 'a'])
    })

    test('is loaded once for all who ask at the same time', async () => {
      const { get } = cache()
      await Promise.all([get('a'), get('a'), get('b')])
      expect(loads).toEqual(['a', 'b'])
    })

    test('is loaded again after a clear, also when the clear came during the load', async () => {
      const { get, clear } = cache()
      const gate = Promise.withResolvers<string>()
      answer = () => gate.promise
      const before = get('a')
      clear()
      answer = async () => 'new'
      expect(await get('a')).toBe('new')
      gate.resolve('old')
      expect(await before).toBe('old')
      expect(await get('a')).toBe('new')
    })

    test('that could not be loaded is not remembered as that', async () => {
      const { get } = cache()
      answer = () => Promise.reject(new Error('away'))
      await expect(get('a')).rejects.toThrow('away')
      answer = async () => 'back'
      expect(await get('a')).toBe('back')
    })

    test('is one of ten thousand at most', async () => {
      const { get } = cache()
      for (let number = 0; number < 10_001; number += 1) await get(String(number))
      loads = []
      await get('0')
      await get('10000')
      expect(loads).toEqual(['0'])
    })
  })
})

describe('lru', () => {
  test('a bounded memory forgets what was used longest ago', () => {
    const memory = createLru<string, number>(2)
    memory.set('a', 1)
    memory.set('b', 2)
    expect(memory.get('a')).toBe(1)
    memory.set('c', 3)
    expect([memory.get('a'), memory.get('b'), memory.get('c'), memory.size]).toEqual([1, undefined, 3, 2])
    memory.delete('a')
    expect([memory.get('a'), memory.size]).toEqual([undefined, 1])
  })
})

describe('byte lru', () => {
  it('drops the entries that were used longest ago, until the rest fits', () => {
    const lru = createByteLru<number>(100)
    for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) lru.set(key, value, 30)
    expect(lru.get('a')).toBe(1)
    lru.set('d', 4, 50)
    expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual([1, undefined, undefined, 4])
    expect(lru.bytes).toBe(80)
  })

  it('counts an entry that is set again once', () => {
    const lru = createByteLru<number>(100)
    lru.set('a', 1, 60)
    lru.set('a', 2, 70)
    expect([lru.get('a'), lru.bytes]).toEqual([2, 70])
  })

  it('keeps nothing that is larger than its budget, and drops nothing for it', () => {
    const lru = createByteLru<number>(100)
    lru.set('a', 1, 60)
    lru.set('b', 2, 101)
    expect([lru.get('a'), lru.get('b'), lru.bytes]).toEqual([1, undefined, 60])
  })
})
