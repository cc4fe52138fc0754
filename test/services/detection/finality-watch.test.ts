import { beforeEach, describe, expect, test } from 'vitest'
import { createFinalityWatch, type FinalityWatch } from '#services/detection/finality-watch.ts'

let now: number
let push: ((slot: bigint) => void) | null
let woken: number
let finality: FinalityWatch

beforeEach(() => {
  now = 1_000_000
  push = null
  woken = 0
  finality = createFinalityWatch(
    { followFinality: (listener) => (push = listener) },
    { now: () => new Date(now) },
    () => (woken += 1),
  )
})

describe('pushes of finality', () => {
  test('wake once, as soon as the slot that is waited for may be final', () => {
    finality.expect(100n)
    push?.(99n)
    expect(woken).toBe(0)
    push?.(100n)
    expect(woken).toBe(1)
    push?.(101n)
    expect(woken).toBe(1)
  })

  test('are listened to only while somebody waits, or reads the blocks', () => {
    expect(push).toBeNull()
    finality.expect(100n)
    expect(push).not.toBeNull()
    finality.expect(null)
    expect(push).toBeNull()
    const slots: bigint[] = []
    finality.notices.followFinality((slot) => slots.push(slot))
    finality.expect(5n)
    push?.(5n)
    expect(push).not.toBeNull()
    push?.(6n)
    expect(slots).toEqual([5n, 6n])
    finality.notices.followFinality(null)
    expect(push).toBeNull()
  })

  test('tell how far the chain is final for as long as they come', () => {
    finality.expect(100n)
    expect(finality.newest()).toBeNull()
    push?.(90n)
    expect(finality.newest()).toBe(90n)
    now += 2_999
    expect(finality.newest()).toBe(90n)
    now += 1
    expect(finality.newest()).toBeNull()
  })

  test('that lag keep nobody from asking for long', () => {
    finality.expect(100n)
    const asked: number[] = []
    for (let second = 0; second < 35; second += 1) {
      push?.(90n)
      if (finality.newest() === null) asked.push(second)
      now += 1_000
    }
    expect(asked).toEqual([10, 20, 30])
  })
})
