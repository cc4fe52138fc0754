import { describe, expect, test, vi } from 'vitest'
import { random } from '#adapters/node/random.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('random bytes', () => {
  test('are as many as asked for, and never the same twice', () => {
    const given = Array.from({ length: 5_000 }, () => random.bytes(32))
    expect(given.every(({ length }) => length === 32)).toBe(true)
    expect(new Set(given.map(hex)).size).toBe(5_000)
  })

  test('are independent of each other in memory', () => {
    const [first, second] = [random.bytes(32), random.bytes(32)]
    const before = hex(second)
    first.fill(0)
    new Uint8Array(first.buffer).fill(1)
    expect(hex(second)).toBe(before)
  })

  test('of any length are random to the last', () => {
    for (const length of [0, 1, 7, 4_095, 4_096, 4_097, 10_000]) {
      const bytes = random.bytes(length)
      expect(bytes).toHaveLength(length)
      // Sixteen zero bytes in a row do not occur in ten draws within the age of the universe.
      if (length >= 16) expect(hex(bytes.subarray(-16))).not.toBe('00'.repeat(16))
    }
  })
})

describe('ids of rows', () => {
  test('are UUIDs of version 7, each made once', () => {
    const given = Array.from({ length: 5_000 }, () => random.uuid())
    for (const id of given) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(new Set(given).size).toBe(5_000)
  })

  test('begin with the millisecond of their making, so that later ids sort after earlier ones', () => {
    vi.useFakeTimers({ now: 1_800_000_000_000 })
    try {
      const first = random.uuid()
      vi.setSystemTime(1_800_000_000_001)
      const second = random.uuid()
      vi.setSystemTime(0x0fff00000000)
      expect([first, second].map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16))).toEqual([
        1_800_000_000_000, 1_800_000_000_001,
      ])
      expect([second, first, random.uuid()].sort()).toEqual([first, second, expect.stringMatching(/^0fff0000-0000-7/)])
    } finally {
      vi.useRealTimers()
    }
  })
})
