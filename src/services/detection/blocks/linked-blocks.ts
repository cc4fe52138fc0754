// Reads blocks that follow the head without a gap. Each block names its parent; a parent that was not listed is read
// too.
import { linkBlocks } from '#core/chain/block-chain.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BlockPlace, BlockSource, ScannedBlock } from '#ports/blocks.ts'

const BLOCKS_AT_ONCE = 6
/** Parents that one round reads. */
const MAX_PARENTS = 24
/**
 * While a block is missing, one round in this many reads all blocks again: the block that named the missing one as its
 * parent may have been wrong.
 */
const ROUNDS_PER_TRIAL = 16

export type LinkedBlocksDeps = {
  readonly source: Pick<BlockSource, 'finalBlock'>
  /** Called after a single slot was read. */
  readonly onSingle: (found: boolean) => void
}

export class LinkedBlocks {
  readonly #deps: LinkedBlocksDeps
  #forks = 0
  /** The block that has to be read before any other follows; null when none is known to be missing. */
  #missing: bigint | null = null
  /** Rounds that began with a missing block. */
  #rounds = 0

  constructor(deps: LinkedBlocksDeps) {
    this.#deps = deps
  }

  /**
   * Returns the blocks at these slots, and the blocks between them, as far as they follow `from`. While a block is missing
   * without which none follows, most rounds ask for that block alone. Throws when a block names another parent than `from`.
   */
  async read(from: BlockPlace, slots: readonly bigint[]): Promise<readonly ScannedBlock[]> {
    const missing = await this.#readMissing()
    if (missing === null) return []
    const others = await this.#readAll(slots.filter((slot) => missing.every((block) => block.slot !== slot)))
    const blocks = [...missing, ...others]
    for (let parents = 0; ; parents += 1) {
      const { linked, obstacle } = linkBlocks(from, blocks)
      if (obstacle === null || linked.length > 0) {
        if (linked.length > 0) this.clear()
        return linked
      }
      if (obstacle.kind === 'fork') {
        this.#missing = null
        this.#forks += 1
        throw new Error(`block ${obstacle.slot} does not follow block ${from.slot}, which was read before`)
      }
      // Stored first: reading it may throw.
      this.#missing = obstacle.slot
      const parent = parents < MAX_PARENTS ? await this.#deps.source.finalBlock(obstacle.slot) : null
      if (parent === null) return []
      blocks.push(parent)
    }
  }

  /** How often in a row blocks did not follow the head. */
  get forks(): number {
    return this.#forks
  }

  /** Forgets forks and the missing block, before reading continues after another block. */
  clear(): void {
    this.#forks = 0
    this.#missing = null
  }

  /** Returns the missing block, and no block when none is missing or all are read again; null while it is missing. */
  async #readMissing(): Promise<readonly ScannedBlock[] | null> {
    if (this.#missing === null) return []
    this.#rounds += 1
    if (this.#rounds % ROUNDS_PER_TRIAL === 0) return []
    const block = await this.#deps.source.finalBlock(this.#missing)
    return block === null ? null : [block]
  }

  /** Reads the blocks at these slots, without the slots that have none. Throws when every block fails to be read. */
  async #readAll(slots: readonly bigint[]): Promise<ScannedBlock[]> {
    const blocks: ScannedBlock[] = []
    try {
      await forEachParallel(slots, BLOCKS_AT_ONCE, async (slot) => {
        const block = await this.#deps.source.finalBlock(slot)
        if (block !== null) blocks.push(block)
        if (slots.length === 1) this.#deps.onSingle(block !== null)
      })
    } catch (error) {
      if (blocks.length === 0) throw error
    }
    return blocks
  }
}
