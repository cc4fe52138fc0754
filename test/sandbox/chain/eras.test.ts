import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  blockBelow,
  blockHeight,
  blockTime,
  DEPTH,
  type Era,
  parentSlot,
  slotsWithBlocks,
} from '#sandbox/chain/eras.ts'

const first: Era = { firstSlot: 500, firstHeight: 492, firstTimeMs: 1_000_000, slotTimeMs: 200, lastSlot: 600 }
const second: Era = { firstSlot: 801, firstHeight: 784, firstTimeMs: 2_000_500, slotTimeMs: 10, lastSlot: null }
const eras = [first, second]

const manyEras = fc
  .array(fc.record({ blocks: fc.integer({ min: 1, max: 100 }), skipped: fc.integer({ min: 0, max: 500 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((stretches) => {
    let slot = 500
    let height = 490
    return stretches.map(({ blocks, skipped }, index): Era => {
      const last = slot + blocks - 1
      const era = { firstSlot: slot, firstHeight: height, firstTimeMs: slot * 10, slotTimeMs: 10 }
      slot = last + 1 + skipped
      height += blocks + Math.min(skipped, 7)
      return { ...era, lastSlot: index === stretches.length - 1 ? null : last }
    })
  })

describe('a slot between two eras', () => {
  it('has no block, no height and no time', () => {
    expect([blockHeight(eras, 601), blockTime(eras, 601), blockHeight(eras, 800)]).toEqual([null, null, null])
    expect(blockHeight(eras, 499)).toBeNull()
  })

  it('is left out of a list of blocks', () => {
    expect(slotsWithBlocks(eras, 599, 803, 10)).toEqual([599, 600, 801, 802, 803])
    expect(slotsWithBlocks(eras, 599, 803, 3)).toEqual([599, 600, 801])
  })
})

it("a block's parent is the block before, over a gap as well", () => {
  expect([502, 501, 801, 802].map((slot) => parentSlot(eras, slot))).toEqual([501, 500, 600, 801])
})

it('a block time is cut to the second', () => {
  expect(blockTime(eras, 500)).toBe(1000)
  expect(blockTime(eras, 504)).toBe(1000)
  expect(blockTime(eras, 505)).toBe(1001)
  expect(blockTime(eras, 801 + 49)).toBe(2000)
  expect(blockTime(eras, 801 + 50)).toBe(2001)
})

describe('the block that a commitment stands for', () => {
  it('is found by counting blocks, so that nothing becomes final because slots were skipped', () => {
    expect(blockBelow(eras, { slot: 801, height: 784 }, 1)).toEqual({ slot: 600, height: 592 })
    expect(blockBelow(eras, { slot: 803, height: 786 }, DEPTH.finalized)).toEqual({ slot: 801, height: 784 })
  })

  it('is the very first block while there are fewer', () => {
    expect(blockBelow([{ ...first, lastSlot: null }], { slot: 501, height: 493 }, DEPTH.finalized)).toEqual({
      slot: 500,
      height: 492,
    })
  })

  it('exists, never lies above the newest, and never goes back while the newest goes forward', () => {
    fc.assert(
      fc.property(manyEras, fc.integer({ min: 0, max: 40 }), (all, depth) => {
        const last = all.at(-1)
        if (last === undefined) return
        const blocks = slotsWithBlocks(all, 0, last.firstSlot + 50, 10_000)
        let before = 0
        for (const slot of blocks.filter((one) => one >= last.firstSlot)) {
          const height = blockHeight(all, slot) ?? Number.NaN
          const below = blockBelow(all, { slot, height }, depth)
          expect(blocks).toContain(below.slot)
          expect(below.height).toBe(blockHeight(all, below.slot))
          expect(below.slot).toBeLessThanOrEqual(slot)
          expect(below.slot).toBeGreaterThanOrEqual(before)
          before = below.slot
        }
      }),
    )
  })
})
