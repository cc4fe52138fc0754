// Which slots to read next. A finality notice near the head names the slot; without a fresh notice the provider lists
// its blocks. Both are hints: whether blocks follow each other is read from the blocks themselves.

import { msSince } from '#lib/time.ts'
import type { BlockSource } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'

/** Slots that one round reads: enough to catch up quickly, few enough for the memory that their blocks take. */
const SLOTS_PER_ROUND = 24
/** A gap this small is closed by following parent blocks, without asking which slots were skipped. */
const NEAR_SLOTS = 8n
/** Slots that one listing spans. */
const LISTED_SLOTS = 200n
/** Slots are listed when no notice has come for this long. */
const SILENT_MS = 1_600
/** Without notices, slots are listed this often: fewer than two hundred calls a minute, with a call for each block. */
const LIST_EVERY_MS = 1_900
/** A provider of blocks can be a slot or two behind the provider of the notices, not more. */
const MAX_TIP_OFFSET = 4n
/** After this many reads in a row that found their block, the tip offset is reduced by a slot. */
const REDUCE_OFFSET_AFTER = 100
/**
 * When the head has not moved for this long, or a newer slot is known, an empty list of one provider is not believed: the
 * others are asked.
 */
const STALE_MS = 10_000

type SlotSource = Pick<BlockSource, 'finalSlots' | 'nextFinalSlots'>

export class SlotDiscovery {
  readonly #source: SlotSource
  readonly #wallClock: Clock
  #newest = 0n
  /** How many slots the providers of blocks are behind the notices. */
  #tipOffset = 0n
  /** Reads in a row that found their block. */
  #successes = 0
  #hintedAt = Number.NEGATIVE_INFINITY
  #listedAt = Number.NEGATIVE_INFINITY

  constructor(source: SlotSource, wallClock: Clock) {
    this.#source = source
    this.#wallClock = wallClock
  }

  /** Takes a finality notice. */
  hint(slot: bigint): void {
    this.#hintedAt = this.#now()
    this.raise(slot)
  }

  /** Records that the chain is final up to this slot at least. */
  raise(slot: bigint): void {
    if (slot > this.#newest) this.#newest = slot
  }

  /** Returns the slots to read after the head. `movedAt`: when the head last moved, in real milliseconds. */
  async next(head: bigint, movedAt: number): Promise<readonly bigint[]> {
    const { tip } = this
    const isFresh = msSince(this.#hintedAt, this.#now()) < SILENT_MS
    if (isFresh && tip <= head) return []
    if (isFresh && tip - head <= NEAR_SLOTS) return [tip]
    if (tip <= head && msSince(this.#listedAt, this.#now()) < LIST_EVERY_MS) return []
    this.#listedAt = this.#now()
    const listed = await this.#list(head, msSince(movedAt, this.#now()) > STALE_MS)
    const last = listed.at(-1)
    if (last !== undefined) this.raise(last)
    return listed.slice(0, SLOTS_PER_ROUND)
  }

  /** Adapts the tip offset to whether the block at the tip was found. */
  learn(found: boolean): void {
    this.#successes = found ? this.#successes + 1 : 0
    if (!found && this.#tipOffset < MAX_TIP_OFFSET) this.#tipOffset += 1n
    if (found && this.#successes % REDUCE_OFFSET_AFTER === 0 && this.#tipOffset > 0n) this.#tipOffset -= 1n
  }

  /** The newest slot that is known to be final. */
  get newest(): bigint {
    return this.#newest
  }

  /** The newest slot that providers of blocks can be expected to have. */
  get tip(): bigint {
    return this.#newest - this.#tipOffset
  }

  /** Lists slots after the head, also when more slots than a listing spans have no block. */
  async #list(head: bigint, isStale: boolean): Promise<readonly bigint[]> {
    const ahead = this.tip - head
    const listed = await this.#source.finalSlots(head, Number(LISTED_SLOTS), isStale || ahead > 0n)
    if (listed.length > 0 || (!isStale && ahead <= LISTED_SLOTS)) return listed
    return await this.#source.nextFinalSlots(head, Number(LISTED_SLOTS))
  }

  #now(): number {
    return this.#wallClock.now().getTime()
  }
}
