// The chain's slots, block heights and time over all lives of its process: they only ever go forward, although the
// runtime counts its blocks from zero each time and may be killed at any moment.
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Clock } from '#ports/clock.ts'
import { type Block, blockBelow, blockHeight, blockTimeMs, DEPTH, type Era, slotAt } from './eras.ts'
import type { Commitment } from './json-rpc.ts'
import type { LifeStore, Marks } from './life-store.ts'
import type { Upstream } from './upstream.ts'

/** Slots that are claimed on disk ahead of use, so that a killed process has used none beyond. */
const RESERVED = 1000
/**
 * Blocks left out between two lives: more than the 150 that a blockhash lives and the 32 that finality takes, so that
 * whatever was signed in the life before has plainly expired.
 */
const GAP = 200
/** Each start leaves out more slots than blocks: heights never overtake slots, as on any chain. */
const SKIPPED = 10
/** The very first slot; above zero so that there is always something 31 blocks below. */
const GENESIS_SLOT = 500
/** A machine that slept has missed blocks, and the runtime never makes up for them. */
const MOST_LAG_MS = 2000
const CLOCK_ACCOUNT = 'SysvarC1ock11111111111111111111111111111111'

export type ChainClock = {
  /** The newest block that a commitment stands for, as of now. */
  at(commitment: Commitment): Promise<Block>
  eras(): readonly Era[]
  /** To be called every few slots: claims the next slots before the last claimed ones are used up. */
  beat(): Promise<void>
  /** Whether the chain's time has fallen behind and `catchUp` is due. */
  lags(): Promise<boolean>
  /** Brings the chain's time up to the world's. Nothing may execute meanwhile, nor during `travel`. */
  catchUp(): Promise<void>
  /** Moves time forward by a cheat code of the runtime, for good; resolves to its answer. */
  travel(params: unknown): Promise<string>
  /** Notes exactly how far the chain has come. */
  stop(): Promise<void>
}

/** Where a life of the chain begins, and how far its clock was moved ahead of the world's. */
export type Birth = { readonly slot: number; readonly heightBase: number; readonly aheadMs: number }

export type ChainClockOptions = {
  readonly life: LifeStore
  readonly upstream: Pick<Upstream, 'call'>
  readonly clock: Clock
  readonly birth: Birth
  readonly slotTimeMs: number
}

const epochInfo = z.object({ absoluteSlot: z.number(), blockHeight: z.number() })
const clockAccount = z.object({
  value: z.object({ data: z.object({ parsed: z.object({ info: z.object({ unixTimestamp: z.number() }) }) }) }),
})

/** The next life's beginning. `lastSlot` is the newest slot that a transaction landed in. */
export function nextBirth(life: LifeStore, lastSlot: number, now: Date): Birth {
  const marks = life.marks()
  if (marks === null) return { slot: GENESIS_SLOT, heightBase: GENESIS_SLOT - SKIPPED, aheadMs: 0 }
  const { reservedSlot, seenSlot, aheadMs } = marks
  // A killed life has made blocks until some moment before now, at its even pace, and none beyond what it claimed.
  const atMost = Math.min(reservedSlot, slotAt(life.eras(), now.getTime() + aheadMs))
  life.endEra(Math.max(seenSlot, lastSlot, atMost))
  const eras = life.eras()
  const endSlot = eras.at(-1)?.lastSlot ?? reservedSlot
  const height = blockHeight(eras, endSlot) ?? endSlot
  return { slot: Math.max(reservedSlot, endSlot + GAP) + SKIPPED, heightBase: height + GAP, aheadMs }
}

/** Resolves when the runtime, started at `birth`, has made its first block and stands at the right time. */
export async function startChainClock(options: ChainClockOptions): Promise<ChainClock> {
  const { life, upstream, clock, birth, slotTimeMs } = options
  let eras = life.eras()
  let { aheadMs } = birth
  let reservedSlot = 0
  const worldMs = (): number => clock.now().getTime() + aheadMs

  const newest = async (): Promise<Block> => {
    const info = epochInfo.parse(JSON.parse(await upstream.call('getEpochInfo', [{ commitment: 'processed' }])))
    return { slot: info.absoluteSlot, height: birth.heightBase + info.blockHeight }
  }
  const claim = ({ slot }: Block, slots: number): Marks => {
    reservedSlot = slot + slots
    return { reservedSlot, seenSlot: slot, aheadMs }
  }
  const beginEra = (first: Block, firstTimeMs: number): void => {
    const era = { firstSlot: first.slot, firstHeight: first.height, firstTimeMs, slotTimeMs, lastSlot: null }
    life.beginEra(era, claim(first, RESERVED))
    eras = life.eras()
  }
  /** Resolves to the runtime's answer and the time that it then has. */
  const jump = async (params: unknown): Promise<{ reply: string; timeMs: number }> => {
    const reply = await upstream.call('surfnet_timeTravel', params)
    const account = await upstream.call('getAccountInfo', [CLOCK_ACCOUNT, { encoding: 'jsonParsed' }])
    return { reply, timeMs: clockAccount.parse(JSON.parse(account)).value.data.parsed.info.unixTimestamp * 1000 }
  }
  /** The runtime's clock is cut to the second when it jumps; a full second more keeps it from falling short. */
  const jumpTo = (timeMs: number) => jump([{ absoluteTimestamp: (Math.floor(timeMs / 1000) + 1) * 1000 }])
  const lagMs = ({ slot }: Block): number => worldMs() - (blockTimeMs(eras, slot) ?? worldMs())

  const endMs = endOf(eras)
  const first = await firstBlock(newest, birth, slotTimeMs)
  // Either the clock was moved ahead in an earlier life, or the world's was put back since.
  const targetMs = Math.max(worldMs(), endMs)
  if (targetMs > clock.now().getTime() + MOST_LAG_MS) {
    const { timeMs } = await jumpTo(targetMs)
    beginEra(await newest(), timeMs)
  } else {
    const made = first.slot - birth.slot
    beginEra({ slot: birth.slot, height: first.height - made }, clock.now().getTime() - made * slotTimeMs)
  }

  return {
    at: async (commitment) => blockBelow(eras, await newest(), DEPTH[commitment]),
    eras: () => eras,
    async beat() {
      const block = await newest()
      if (block.slot + RESERVED / 2 > reservedSlot) life.saveMarks(claim(block, RESERVED))
    },
    lags: async () => lagMs(await newest()) > MOST_LAG_MS,
    async catchUp() {
      const before = await newest()
      if (lagMs(before) <= MOST_LAG_MS) return
      const { timeMs } = await jumpTo(worldMs())
      life.endEra(before.slot)
      beginEra(await newest(), timeMs)
    },
    async travel(params) {
      const before = await newest()
      const { reply, timeMs } = await jump(params)
      aheadMs = Math.max(0, timeMs - clock.now().getTime())
      life.endEra(before.slot)
      beginEra(await newest(), timeMs)
      return reply
    },
    async stop() {
      const block = await newest()
      life.endEra(block.slot)
      life.saveMarks(claim(block, 0))
    },
  }
}

/** The time of the last block; 0 when there is none. */
function endOf(eras: readonly Era[]): number {
  const lastSlot = eras.at(-1)?.lastSlot
  return lastSlot == null ? 0 : (blockTimeMs(eras, lastSlot) ?? 0)
}

async function firstBlock(newest: () => Promise<Block>, birth: Birth, slotTimeMs: number): Promise<Block> {
  for (;;) {
    const block = await newest()
    if (block.height > birth.heightBase) return block
    await sleep(Math.min(slotTimeMs / 4, 20))
  }
}
