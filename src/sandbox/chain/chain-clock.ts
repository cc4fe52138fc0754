// The chain's slots, block heights and time over all lives of its process: they only ever go forward, although the
// runtime counts its blocks from zero each time and may be killed at any moment.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '#ports/clock.ts'
import { type Block, blockBelow, blockTime, DEPTH, type Era } from './eras.ts'
import type { Commitment } from './json-rpc.ts'
import type { LifeStore, Marks } from './life-store.ts'
import type { Upstream } from './upstream.ts'

/** Slots, and heights, that are claimed on disk ahead of use, so that a killed process has used none beyond. */
const RESERVED = 1000
/**
 * Left out after an orderly stop: more than the 150 blocks that a blockhash lives and the 32 that finality takes, so
 * that whatever was signed in the life before has plainly expired.
 */
const GAP = 200
/** The very first slot; above zero so that there is always something 31 blocks below. */
const GENESIS_SLOT = 500
/** Each start leaves out fewer blocks than slots: heights never overtake slots, as on any chain. */
const SKIPPED = 10
const CLOCK_ACCOUNT = 'SysvarC1ock11111111111111111111111111111111'

export type ChainClock = {
  /** The newest block that a commitment stands for, as of now. */
  at(commitment: Commitment): Promise<Block>
  eras(): readonly Era[]
  /** To be called every few slots: claims the next slots before the last claimed ones are used up. */
  beat(): Promise<void>
  /** Moves time forward by a cheat code of the runtime, whose answer it resolves to. Nothing may execute meanwhile. */
  travel(params: unknown): Promise<string>
  /** Notes exactly how far the chain has come. */
  stop(): Promise<void>
}

/** Where a life of the chain begins. */
export type Birth = { readonly slot: number; readonly heightBase: number; readonly aheadMs: number }

const epochInfo = z.object({ absoluteSlot: z.number(), blockHeight: z.number() })
const clockAccount = z.object({
  value: z.object({
    data: z.object({ parsed: z.object({ info: z.object({ slot: z.number(), unixTimestamp: z.number() }) }) }),
  }),
})

/** The next life's beginning. `lastSlot` is the newest slot that a transaction landed in. */
export function nextBirth(life: LifeStore, lastSlot: number): Birth {
  const marks = life.marks()
  if (marks === null) return { slot: GENESIS_SLOT, heightBase: GENESIS_SLOT - SKIPPED, aheadMs: 0 }
  life.endEra(Math.max(marks.seenSlot, lastSlot))
  return { slot: marks.reservedSlot + 1, heightBase: marks.reservedHeight + 1, aheadMs: marks.aheadMs }
}

/** Resolves when the runtime, started at `birth`, has made its first block and stands at the right time. */
export async function startChainClock(options: {
  readonly life: LifeStore
  readonly upstream: Pick<Upstream, 'call'>
  readonly clock: Clock
  readonly birth: Birth
  readonly slotTimeMs: number
}): Promise<ChainClock> {
  const { life, upstream, clock, birth, slotTimeMs } = options
  const worldMs = (): number => clock.now().getTime()
  let eras = life.eras()
  let { aheadMs } = birth
  let reservedSlot = 0

  const newest = async (): Promise<Block> => {
    const info = epochInfo.parse(JSON.parse(await upstream.call('getEpochInfo', [{ commitment: 'processed' }])))
    return { slot: info.absoluteSlot, height: birth.heightBase + info.blockHeight }
  }
  const marksAt = ({ slot, height }: Block, reserve: number): Marks => {
    reservedSlot = slot + reserve
    return { reservedSlot, reservedHeight: height + reserve - SKIPPED, seenSlot: slot, aheadMs }
  }
  const beginEra = (first: Block, firstTimeMs: number): void => {
    const era = { firstSlot: first.slot, firstHeight: first.height, firstTimeMs, slotTimeMs, lastSlot: null }
    life.beginEra(era, marksAt(first, RESERVED))
    eras = life.eras()
  }

  const travel = async (params: unknown): Promise<string> => {
    const before = await newest()
    const reply = await upstream.call('surfnet_timeTravel', params)
    const account = await upstream.call('getAccountInfo', [CLOCK_ACCOUNT, { encoding: 'jsonParsed' }])
    const { slot, unixTimestamp } = clockAccount.parse(JSON.parse(account)).value.data.parsed.info
    const after = await newest()
    aheadMs = Math.max(0, unixTimestamp * 1000 - worldMs())
    life.endEra(before.slot)
    beginEra({ slot, height: after.height - (after.slot - slot) }, unixTimestamp * 1000)
    return reply
  }

  let first = await newest()
  while (first.height === birth.heightBase) {
    await sleep(Math.min(slotTimeMs / 4, 20))
    first = await newest()
  }
  const targetMs = Math.max(worldMs() + aheadMs, endMs(eras))
  beginEra(
    { slot: birth.slot, height: first.height - (first.slot - birth.slot) },
    worldMs() - (first.slot - birth.slot) * slotTimeMs,
  )
  // The runtime refuses to go where it already is, and a second is as fine as its clock gets.
  if (targetMs > worldMs() + 1000) await travel([{ absoluteTimestamp: Math.round(targetMs) }])

  return {
    at: async (commitment) => blockBelow(eras, await newest(), DEPTH[commitment]),
    eras: () => eras,
    async beat() {
      const block = await newest()
      if (block.slot + RESERVED / 2 > reservedSlot) life.saveMarks(marksAt(block, RESERVED))
    },
    travel,
    async stop() {
      const block = await newest()
      life.endEra(block.slot)
      life.saveMarks(marksAt(block, GAP))
    },
  }
}

/** The time after which the next block must be: the world's clock may have been put back since. */
function endMs(eras: readonly Era[]): number {
  const last = eras.at(-1)
  const seconds = last === undefined ? null : blockTime(eras, last.lastSlot ?? last.firstSlot)
  return seconds === null ? 0 : (seconds + 1) * 1000
}
