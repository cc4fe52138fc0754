import { expect, test } from 'vitest'
import { createTimeOfSlot } from '#adapters/price-feed/slot-times.ts'
import { ServiceError } from '#core/errors.ts'
import { NOW } from './fake-source.ts'

const TIME = new Date('2026-03-01T12:00:00Z')

function chainWith(slotMs: number | null) {
  let now = NOW.getTime()
  let calls = 0
  let isAway = false
  const answer = <T>(value: T) =>
    isAway ? Promise.reject(new ServiceError('chain_unavailable')) : Promise.resolve(value)
  const chain = {
    blockTime() {
      calls += 1
      return answer({ slot: 1_000n, time: TIME })
    },
    pace: () => answer({ consensus: 'alpenglow' as const, slotMs, finalAfterSlots: 1 }),
  }
  return {
    timeOfSlot: createTimeOfSlot(chain, { now: () => new Date(now) }),
    calls: () => calls,
    pass(ms: number) {
      now += ms
    },
    away() {
      isAway = true
    },
  }
}

test('a slot is dated by the clock of the chain and its measured pace, before and after the newest slot', async () => {
  const { timeOfSlot } = chainWith(214)
  expect(await timeOfSlot(1_000n)).toEqual(TIME)
  expect(await timeOfSlot(720n)).toEqual(new Date(TIME.getTime() - 59_920))
  expect(await timeOfSlot(1_010n)).toEqual(new Date(TIME.getTime() + 2_140))
})

test('no slot is dated before the pace is measured, or while the chain does not answer', async () => {
  expect(await chainWith(null).timeOfSlot(1_000n)).toBeNull()
  const { timeOfSlot, away } = chainWith(200)
  away()
  expect(await timeOfSlot(1_000n)).toBeNull()
})

test('many slots are dated by one reading of ten seconds', async () => {
  const { timeOfSlot, calls, pass } = chainWith(200)
  await Promise.all([timeOfSlot(1n), timeOfSlot(2n)])
  pass(9_999)
  await timeOfSlot(3n)
  expect(calls()).toBe(1)
  pass(1)
  await timeOfSlot(4n)
  expect(calls()).toBe(2)
})
