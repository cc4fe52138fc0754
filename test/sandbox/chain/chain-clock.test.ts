// Time, slots and heights of a chain whose process lives, dies and sleeps, against a runtime that only counts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ChainClock, nextStartState, startChainClock } from '#sandbox/chain/chain-clock.ts'
import { type Database, openDatabase } from '#sandbox/chain/database.ts'
import { type Block, blockTime, blockTimeMs, DEPTH } from '#sandbox/chain/eras.ts'
import { createLifeStore, type LifeStore } from '#sandbox/chain/life-store.ts'
import type { RuntimeTime } from '#sandbox/chain/runtime-time.ts'

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
