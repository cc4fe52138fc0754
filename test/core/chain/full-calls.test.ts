import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ACCOUNTS_PER_CALL, inCalls } from '#core/chain/full-calls.ts'

const sizes = fc.array(fc.nat(130), { maxLength: 60 })
const sizeOf = (size: number): number => size
const sumOf = (call: readonly number[]): number => call.reduce((sum, size) => sum + size, 0)

test('every item is in one call, and the order stays', () => {
  fc.assert(
    fc.property(sizes, (items) => {
      expect(inCalls(items, sizeOf).flat()).toEqual(items)
    }),
  )
})

test('a call has at most a hundred accounts, unless one item alone has more', () => {
  fc.assert(
    fc.property(sizes, (items) => {
      for (const call of inCalls(items, sizeOf))
        expect(call.length === 1 || sumOf(call) <= ACCOUNTS_PER_CALL).toBe(true)
    }),
  )
})

test('a call ends only where the next item has no room', () => {
  fc.assert(
    fc.property(sizes, (items) => {
      const calls = inCalls(items, sizeOf)
      for (const [at, call] of calls.entries()) {
        const next = calls[at + 1]?.[0]
        if (next !== undefined) expect(sumOf(call) + next).toBeGreaterThan(ACCOUNTS_PER_CALL)
      }
    }),
  )
})

test('no items need no call', () => {
  expect(inCalls([], sizeOf)).toEqual([])
})
