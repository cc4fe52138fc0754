// Reads blocks that follow the head without a gap. Each block names its parent; a parent that was not listed is read
// too.
import { linkBlocks } from '#core/chain/block-chain.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BlockPlace, BlockSource, ScannedBlock } from '#ports/blocks.ts'

const BLOCKS_AT_ONCE = 6
/** Parents that one round reads. */
const MAX_PARENTS = 24

export type LinkedBlocks = {
  /**
   * Returns the blocks at these slots, and the blocks between them, as far as they follow `from`. Throws when a block
   * names another parent than `from`.
   */
  read(from: BlockPlace, slots: readonly bigint[]): Promise<readonly ScannedBlock[]>
  /** How often in a row blocks did not follow the head. */
  readonly forks: number
  clearForks(): void
}

export type LinkedBlocksDeps = {
  readonly source: Pick<BlockSource, 'finalBlock'>
  /** Called after a single slot was read. */
  readonly onSingle: (found: boolean) => void
}

export const createLinkedBlocks = (deps: LinkedBlocksDeps): LinkedBlocks => new LinkedBlocksState(deps)

class LinkedBlocksState implements LinkedBlocks {
  readonly #deps: LinkedBlocksDeps
  #forks = 0

  constructor(deps: LinkedBlocksDeps) {
    this.#deps = deps
  }

  async read(from: BlockPlace, slots: readonly bigint[]): Promise<readonly ScannedBlock[]> {
    const blocks = await this.#readAll(slots)
    for (let parents = 0; ; parents += 1) {
      const { linked, obstacle } = linkBlocks(from, blocks)
      if (obstacle === null || linked.length > 0) {
        if (linked.length > 0) this.#forks = 0
        return linked
      }
      if (obstacle.kind === 'fork') {
        this.#forks += 1
        throw new Error(`block ${obstacle.slot} does not follow block ${from.slot}, which was read before`)
      }
      const parent = parents < MAX_PARENTS ? await this.#deps.source.finalBlock(obstacle.slot) : null
      if (parent === null) return []
      blocks.push(parent)
    }
  }

  get forks(): number {
    return this.#forks
  }

  clearForks(): void {
    this.#forks = 0
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
