import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ChainClock, nextStartState, startChainClock } from '#sandbox/chain/chain-clock.ts'
import { type Database, openDatabase } from '#sandbox/chain/database.ts'
import {
  type Block,
  blockBelow,
  blockHeight,
  blockTime,
  blockTimeMs,
  DEPTH,
  type Era,
  parentSlot,
  slotsWithBlocks,
} from '#sandbox/chain/eras.ts'
import { createLifeStore, type LifeStore } from '#sandbox/chain/life-store.ts'
import type { RuntimeTime } from '#sandbox/chain/runtime-time.ts'

// Time, slots and heights of a chain whose process lives, dies and sleeps, against a runtime that only counts.
describe('the clock', () => {
  const SLOT_MS = 200
  const MINUTE = 60_000
  const DAY = 24 * 60 * MINUTE

  let dir: string
  let database: Database
  let life: LifeStore
  let nowMs: number
  const clock = { now: () => new Date(nowMs) }

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'clock-'))
    const opened = openDatabase(dir)
    if (opened === null) throw new Error('a new directory cannot be in use')
    database = opened
    life = createLifeStore(database)
    nowMs = 1_800_000_000_000
  })
  afterEach(() => {
    database.close()
    rmSync(dir, { recursive: true })
  })

  /** Makes a block every slot of the world's time, unless asleep, and jumps slots with time as the real one does. */
  function fakeRuntime(firstSlot: number, heightBase: number) {
    const startedMs = nowMs
    let jumpedMs = 0
    let sleptMs = 0
    const blocks = () => Math.floor((nowMs - startedMs - sleptMs) / SLOT_MS)
    const timeMs = () => startedMs + blocks() * SLOT_MS + jumpedMs
    const newest = async (): Promise<Block> => ({
      slot: firstSlot + blocks() + Math.floor(jumpedMs / SLOT_MS),
      height: heightBase + blocks() + 2,
    })
    const runtime: RuntimeTime = {
      newest,
      first: newest,
      async jump(to) {
        const slots = 'slot' in to ? to.slot - (await newest()).slot : Math.ceil((to.timeMs - timeMs()) / SLOT_MS)
        if (slots <= 0) return null
        jumpedMs += slots * SLOT_MS
        return { block: await newest(), timeMs: Math.floor(timeMs() / 1000) * 1000 }
      },
    }
    const sleep = (ms: number): void => {
      nowMs += ms
      sleptMs += ms
    }
    return { runtime, sleep }
  }

  async function live() {
    const startState = nextStartState(life, 0, clock.now())
    const { runtime, sleep } = fakeRuntime(startState.slot, startState.heightBase)
    const chainClock = await startChainClock({ life, runtime, clock, startState, slotTimeMs: SLOT_MS })
    return { startState, chainClock, sleep }
  }
  const chainMs = async (chainClock: ChainClock): Promise<number> => {
    const { slot } = await chainClock.at('processed')
    return blockTimeMs(chainClock.eras(), slot) ?? Number.NaN
  }
  const travelTo = (chainClock: ChainClock, timeMs: number) => chainClock.travel({ timeMs })

  it("keeps the world's time", async () => {
    const { chainClock } = await live()
    nowMs += 10 * MINUTE
    expect(await chainMs(chainClock)).toBe(nowMs)
  })

  describe('after a stop', () => {
    it('time has passed as everywhere', async () => {
      const { chainClock } = await live()
      nowMs += MINUTE
      await chainClock.stop()
      nowMs += DAY
      expect(await chainMs((await live()).chainClock)).toBe(nowMs)
    })

    it('slots and heights go on above, far enough that everything signed before has expired', async () => {
      const { chainClock } = await live()
      nowMs += MINUTE
      const end = await chainClock.at('processed')
      await chainClock.stop()
      const { startState } = await live()
      expect(startState.slot).toBeGreaterThan(end.slot)
      expect(startState.heightBase).toBeGreaterThan(end.height + 155)
      expect(startState.heightBase).toBeLessThan(startState.slot)
    })
  })

  describe('after a kill', () => {
    it.each([0, 1000, MINUTE])('%i ms later, nothing that a client may have seen goes back', async (pauseMs) => {
      const { chainClock } = await live()
      for (let count = 0; count < 100; count += 1) {
        nowMs += 10 * SLOT_MS
        await chainClock.beat()
      }
      nowMs += 9 * SLOT_MS
      const seen = { processed: await chainClock.at('processed'), finalized: await chainClock.at('finalized') }
      const seenTime = blockTime(chainClock.eras(), seen.processed.slot) ?? 0
      nowMs += pauseMs

      const { startState, chainClock: after } = await live()
      expect(startState.slot).toBeGreaterThan(seen.processed.slot)
      expect(startState.heightBase).toBeGreaterThan(seen.processed.height + 155)
      const final = await after.at('finalized')
      expect(final.slot).toBeGreaterThanOrEqual(seen.finalized.slot)
      expect(final.height).toBeGreaterThanOrEqual(seen.finalized.height)
      for (const { slot } of [final, await after.at('processed')])
        expect(blockTime(after.eras(), slot)).toBeLessThanOrEqual(nowMs / 1000)
      expect(blockTime(after.eras(), (await after.at('processed')).slot)).toBeGreaterThanOrEqual(seenTime)
    })

    it('a slot is never used twice, even if the chain died without a word', async () => {
      const used: number[] = []
      for (let lives = 0; lives < 5; lives += 1) {
        const { startState, chainClock } = await live()
        nowMs += 30 * SLOT_MS
        used.push(startState.slot, (await chainClock.at('processed')).slot)
      }
      expect(used).toEqual(used.toSorted((a, b) => a - b))
      expect(new Set(used).size).toBe(used.length)
    })
  })

  describe('a clock that was moved', () => {
    it('stays ahead by as much, while the chain runs and while it does not', async () => {
      const { chainClock } = await live()
      await travelTo(chainClock, nowMs + 30 * DAY)
      nowMs += DAY
      expect(await chainMs(chainClock)).toBe(nowMs + 30 * DAY)
      await chainClock.stop()
      nowMs += DAY
      const { chainClock: after } = await live()
      expect(await chainMs(after)).toBeGreaterThanOrEqual(nowMs + 30 * DAY)
      expect(await chainMs(after)).toBeLessThanOrEqual(nowMs + 30 * DAY + 1000)
    })

    it('makes nothing final: that takes blocks', async () => {
      const { chainClock } = await live()
      nowMs += MINUTE
      const { slot } = await chainClock.at('processed')
      await travelTo(chainClock, nowMs + DAY)
      expect((await chainClock.at('finalized')).slot).toBeLessThan(slot)
      nowMs += (DEPTH.finalized + 1) * SLOT_MS
      expect((await chainClock.at('finalized')).slot).toBeGreaterThan(slot)
    })
  })

  it('a machine that slept makes up for the time', async () => {
    const { chainClock, sleep } = await live()
    nowMs += MINUTE
    expect(await chainClock.lags()).toBe(false)
    sleep(8 * 60 * MINUTE)
    expect(await chainClock.lags()).toBe(true)
    await chainClock.catchUp()
    expect(await chainClock.lags()).toBe(false)
    expect(await chainMs(chainClock)).toBeGreaterThanOrEqual(nowMs)
    expect(await chainMs(chainClock)).toBeLessThanOrEqual(nowMs + 1000)
  })

  it("a world's clock that is put back does not put back the chain's", async () => {
    const { chainClock } = await live()
    nowMs += MINUTE
    const before = await chainMs(chainClock)
    await chainClock.stop()
    nowMs -= 60 * MINUTE
    expect(await chainMs((await live()).chainClock)).toBeGreaterThanOrEqual(before)
  })
})

describe('eras', () => {
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
})
