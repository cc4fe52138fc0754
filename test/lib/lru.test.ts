import { describe, expect, it, test } from 'vitest'
import { createByteLru, createLru } from '#lib/lru.ts'

describe('lru', () => {
  test('a bounded memory forgets what was used longest ago', () => {
    const memory = createLru<string, number>(2)
    memory.set('a', 1)
    memory.set('b', 2)
    expect(memory.get('a')).toBe(1)
    memory.set('c', 3)
    expect([memory.get('a'), memory.get('b'), memory.get('c'), memory.size]).toEqual([1, undefined, 3, 2])
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
