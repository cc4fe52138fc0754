import { describe, expect, test } from 'vitest'
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
