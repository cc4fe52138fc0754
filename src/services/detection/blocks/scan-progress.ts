// How far block reading is behind the chain, and whether it can continue at all.

import { msSince } from '#lib/time.ts'
import type { BlockPlace, BlockSource } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'
import type { BlockScan } from './block-scan.ts'

/** A longer gap is not read block by block: one reading of every address costs less and reports payments sooner. */
export const MAX_GAP_SLOTS = 20_000n
/** Providers keep at least this many slots. */
const SURELY_KEPT_SLOTS = 1_500n
/** Block reading is behind when its head is this far behind the chain, or has not moved for this long. */
const BEHIND_SLOTS = 150n
const STALLED_MS = 45_000
/** After this many forks in a row, the blocks will not follow the cursor any more. */
const MAX_FORKS = 30

export type ScanProgressDeps = {
  readonly scan: Pick<BlockScan, 'forks' | 'head' | 'lag' | 'movedAt'>
  readonly source: Pick<BlockSource, 'newestFinalSlot' | 'oldestSlot'>
  readonly wallClock: Clock
}

/** `long`: block reading begins behind. `lost`: the blocks after the cursor cannot all be read, or cost too much. */
export type Gap = 'short' | 'long' | 'lost'

export class ScanProgress {
  readonly #deps: ScanProgressDeps

  constructor(deps: ScanProgressDeps) {
    this.#deps = deps
  }

  get isBehind(): boolean {
    const { scan, wallClock } = this.#deps
    return scan.lag > BEHIND_SLOTS || msSince(scan.movedAt, wallClock.now().getTime()) > STALLED_MS
  }

  /** Returns how far the cursor is behind the newest final block. */
  async gapAfter({ slot }: BlockPlace): Promise<Gap> {
    const gap = (await this.#deps.source.newestFinalSlot()) - slot
    // Every provider is asked for its oldest block, and one may be away: a short gap is kept by all of them.
    if (gap > MAX_GAP_SLOTS || (gap > SURELY_KEPT_SLOTS && (await this.#isForgotten(slot)))) return 'lost'
    return gap > BEHIND_SLOTS ? 'long' : 'short'
  }

  /** Returns whether blocks contradict the cursor permanently, or every provider dropped them before they were read. */
  async cannotContinue(): Promise<boolean> {
    const { forks, head } = this.#deps.scan
    if (head === null) return false
    return forks > MAX_FORKS || (this.isBehind && (await this.#isForgotten(head.slot)))
  }

  /** Returns whether every provider has dropped the blocks from this slot on. False when no provider answers. */
  async #isForgotten(slot: bigint): Promise<boolean> {
    return slot < (await this.#deps.source.oldestSlot().catch(() => 0n))
  }
}
