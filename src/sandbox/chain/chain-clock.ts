// The chain's slots, block heights and time over all lives of its process: they only go forward, although the
// runtime starts from zero each time and may be killed at any moment.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#ports/clock.ts'
import { type Block, blockBelow, blockHeight, blockTimeMs, DEPTH, type Era, slotAt } from './eras.ts'
import { type Commitment, type ReadConfig, RPC_CODES, RpcFailure } from './json-rpc.ts'
import type { LifeStore, Marks } from './life-store.ts'
import type { Destination, Landing, RuntimeTime } from './runtime-time.ts'

/** Slots that are reserved on disk in advance, so that a killed process has used none beyond them. */
const RESERVED = 1000
/**
 * Blocks left out between two lives: more than the 150 that a blockhash lives, so that whatever was signed in the life before has
 * plainly expired.
 */
const GAP = 200
/** Each start leaves out more slots than blocks: heights never overtake slots, as on any chain. */
const SKIPPED = 10
/** The very first slot; above zero so that there is always a final block below. */
export const GENESIS_SLOT = 500
/** A machine that slept has missed blocks, and the runtime never makes up for them. */
const MAX_LAG_MS = 2000

export type ChainClock = {
  /** Returns the newest block that a commitment stands for, as of now. */
  at(commitment: Commitment): Promise<Block>
  /** Resolves when the block that is being made now is final. */
  settled(): Promise<void>
  eras(): readonly Era[]
  /** Reserves the next slots before the reserved ones are used up. To be called every few slots. */
  beat(): Promise<void>
  /** Returns whether the chain's time has fallen behind the world's, so that `catchUp` is due. */
  lags(): Promise<boolean>
  /** Sets the time of the chain to the world's. Nothing may execute meanwhile, nor during `travel`. */
  catchUp(): Promise<void>
  /** Moves time forward, permanently; resolves to the newest block there. Does nothing when the time is reached already. */
  travel(to: Destination): Promise<Block>
  /** Stores exactly how far the chain has come. */
  stop(): Promise<void>
}

/** Where a life of the chain begins, and how far its clock was moved ahead of the world's. */
export type StartState = { readonly slot: number; readonly heightBase: number; readonly aheadMs: number }

export type ChainClockOptions = {
  readonly life: LifeStore
  readonly runtime: RuntimeTime
  readonly clock: Clock
  readonly startState: StartState
  readonly slotTimeMs: number
}

/** Returns the next life's beginning. `lastSlot` is the newest slot that a transaction landed in. */
export function nextStartState(life: LifeStore, lastSlot: number, now: Date): StartState {
  const marks = life.marks()
  if (marks === null) return { slot: GENESIS_SLOT, heightBase: GENESIS_SLOT - SKIPPED, aheadMs: 0 }
  const { reservedSlot, seenSlot, aheadMs } = marks
  // A killed life has made blocks until some moment before now, at its even pace, and none beyond the reserved slots.
  const atMost = Math.min(reservedSlot, slotAt(life.eras(), now.getTime() + aheadMs))
  life.endEra(Math.max(seenSlot, lastSlot, atMost))
  const eras = life.eras()
  const endSlot = eras.at(-1)?.lastSlot ?? reservedSlot
  const height = blockHeight(eras, endSlot) ?? endSlot
  return { slot: Math.max(reservedSlot, endSlot + GAP) + SKIPPED, heightBase: height + GAP, aheadMs }
}

/** Resolves when the runtime, started at `startState`, has made its first block and stands at the right time. */
export async function startChainClock(options: ChainClockOptions): Promise<ChainClock> {
  const { runtime, clock } = options
  const hostMs = (): number => clock.now().getTime()
  const track = new Track(options)
  const lagMs = ({ slot }: Block): number => {
    const timeMs = blockTimeMs(track.eras, slot)
    return timeMs === null ? 0 : hostMs() + track.aheadMs - timeMs
  }
  await beginLife(options, track)

  const at = async (commitment: Commitment): Promise<Block> =>
    blockBelow(track.eras, await runtime.newest(), DEPTH[commitment])

  return {
    at,
    async settled() {
      const { slot } = await runtime.newest()
      while ((await at('finalized')).slot < slot) await sleep(Math.ceil(options.slotTimeMs / 4))
    },
    eras: () => track.eras,
    beat: async () => track.pass(await runtime.newest()),
    lags: async () => lagMs(await runtime.newest()) > MAX_LAG_MS,
    async catchUp() {
      const before = await runtime.newest()
      const landing = await runtime.jump({ timeMs: hostMs() + track.aheadMs })
      if (landing !== null) track.turn(before, landing)
    },
    async travel(to) {
      const before = await runtime.newest()
      const landing = await runtime.jump(to)
      if (landing === null) return before
      track.moveAhead(landing.timeMs - hostMs())
      track.turn(before, landing)
      return landing.block
    },
    stop: async () => track.end(await runtime.newest()),
  }
}

/** Returns the newest block that a call may be answered from. Throws RpcFailure when the call requires a later slot. */
export async function reachedBlock(
  chainClock: Pick<ChainClock, 'at'>,
  { commitment, minContextSlot }: ReadConfig,
): Promise<Block> {
  const block = await chainClock.at(commitment)
  if (block.slot < (minContextSlot ?? 0))
    throw new RpcFailure(RPC_CODES.contextNotReached, 'Minimum context slot has not been reached', {
      contextSlot: block.slot,
    })
  return block
}

async function beginLife(
  { life, runtime, clock, startState, slotTimeMs }: ChainClockOptions,
  track: Track,
): Promise<void> {
  const lastEra = life.eras().at(-1)
  const endMs = lastEra?.lastSlot == null ? 0 : (blockTimeMs(life.eras(), lastEra.lastSlot) ?? 0)
  const first = await runtime.first()
  const nowMs = clock.now().getTime()
  // Either the clock was moved ahead in an earlier life, or the world's was put back since.
  const targetMs = Math.max(nowMs + startState.aheadMs, endMs)
  const landing = targetMs > nowMs ? await runtime.jump({ timeMs: targetMs }) : null
  const made = first.slot - startState.slot
  track.beginEra(
    landing ?? {
      block: { slot: startState.slot, height: first.height - made },
      timeMs: nowMs - made * slotTimeMs,
    },
  )
}

/** The progress of the chain on disk: its eras, and the last reserved slot. */
class Track {
  readonly #life: LifeStore
  readonly #slotTimeMs: number
  #eras: readonly Era[]
  #aheadMs: number
  #reservedSlot = 0

  constructor({ life, startState, slotTimeMs }: Pick<ChainClockOptions, 'life' | 'startState' | 'slotTimeMs'>) {
    this.#life = life
    this.#slotTimeMs = slotTimeMs
    this.#eras = life.eras()
    this.#aheadMs = startState.aheadMs
  }

  get eras(): readonly Era[] {
    return this.#eras
  }

  get aheadMs(): number {
    return this.#aheadMs
  }

  /** Moves the clock ahead to `byMs` in all. A clock that is further ahead stays where it is. */
  moveAhead(byMs: number): void {
    this.#aheadMs = Math.max(this.#aheadMs, byMs)
  }

  beginEra({ block, timeMs }: Landing): void {
    const { slot: firstSlot, height: firstHeight } = block
    const era = { firstSlot, firstHeight, firstTimeMs: timeMs, slotTimeMs: this.#slotTimeMs, lastSlot: null }
    this.#life.beginEra(era, this.#reserve(block, RESERVED))
    this.#eras = this.#life.eras()
  }

  /** Ends the era with its last block, and begins the next one. */
  turn({ slot }: Block, landing: Landing): void {
    this.#life.endEra(slot)
    this.beginEra(landing)
  }

  pass(block: Block): void {
    if (block.slot + RESERVED / 2 > this.#reservedSlot) this.#life.saveMarks(this.#reserve(block, RESERVED))
  }

  end(block: Block): void {
    this.#life.endEra(block.slot)
    this.#life.saveMarks(this.#reserve(block, 0))
  }

  #reserve({ slot }: Block, slots: number): Marks {
    this.#reservedSlot = slot + slots
    return { reservedSlot: this.#reservedSlot, seenSlot: slot, aheadMs: this.#aheadMs }
  }
}
