import { beforeEach, describe, expect, test } from 'vitest'
import { createFinalityWatch, type FinalityWatch } from '#services/detection/finality-watch.ts'

let now: number
let notify: ((slot: bigint) => void) | null
let woken: number
let finality: FinalityWatch

beforeEach(() => {
  now = 1_000_000
  notify = null
  woken = 0
  finality = createFinalityWatch(
    { followFinality: (listener) => (notify = listener) },
    { now: () => new Date(now) },
    () => (woken += 1),
  )
})

describe('finality notices', () => {
  test('wake once, as soon as the expected slot may be final', () => {
    finality.expect(100n)
    notify?.(99n)
    expect(woken).toBe(0)
    notify?.(100n)
    expect(woken).toBe(1)
    notify?.(101n)
    expect(woken).toBe(1)
  })

  test('are followed only while a slot is expected, or blocks are read', () => {
    expect(notify).toBeNull()
    finality.expect(100n)
    expect(notify).not.toBeNull()
    finality.expect(null)
    expect(notify).toBeNull()
    const slots: bigint[] = []
    finality.notices.followFinality((slot) => slots.push(slot))
    finality.expect(5n)
    notify?.(5n)
    expect(notify).not.toBeNull()
    notify?.(6n)
    expect(slots).toEqual([5n, 6n])
    finality.notices.followFinality(null)
    expect(notify).toBeNull()
  })

  test('report how far the chain is final for as long as they arrive', () => {
    finality.expect(100n)
    expect(finality.newest()).toBeNull()
    notify?.(90n)
    expect(finality.newest()).toBe(90n)
    now += 2_999
    expect(finality.newest()).toBe(90n)
    now += 1
    expect(finality.newest()).toBeNull()
  })

  test('are not believed past a clock that was set back', () => {
    finality.expect(100n)
    notify?.(90n)
    expect(finality.newest()).toBe(90n)
    now -= 60_000
    expect(finality.newest()).toBeNull()
  })

  test('that lag have the chain asked every ten seconds', () => {
    finality.expect(100n)
    const asked: number[] = []
    for (let second = 0; second < 35; second += 1) {
      notify?.(90n)
      if (finality.newest() === null) asked.push(second)
      now += 1_000
    }
    expect(asked).toEqual([10, 20, 30])
  })
})
