// Whether blocks follow each other. That nothing was left out is proved by the blocks themselves, each of which names the
// one before it; what a provider lists, or says was skipped, is only its word.

export type LinkedBlock = {
  readonly slot: bigint
  readonly blockhash: string
  readonly parentSlot: bigint
  readonly parentBlockhash: string
}

export type Linked<Block> = {
  /** Those that follow the head without a gap, oldest first. */
  readonly linked: readonly Block[]
  /**
   * What kept the next one from being linked. `missing`: the block at `slot` has to be read first. `fork`: it follows
   * another block than the head, so one of the two is not of the finalized chain.
   */
  readonly obstacle: null | { readonly kind: 'missing' | 'fork'; readonly slot: bigint }
}

/** Blocks in any order; those up to the head are passed over. */
export function linkBlocks<Block extends LinkedBlock>(
  head: Pick<LinkedBlock, 'slot' | 'blockhash'>,
  blocks: readonly Block[],
): Linked<Block> {
  const ahead = blocks.filter(({ slot }) => slot > head.slot).sort((a, b) => (a.slot < b.slot ? -1 : 1))
  const linked: Block[] = []
  let last: Pick<LinkedBlock, 'slot' | 'blockhash'> = head
  for (const block of ahead) {
    if (block.parentSlot > last.slot) return { linked, obstacle: { kind: 'missing', slot: block.parentSlot } }
    if (block.parentSlot < last.slot || block.parentBlockhash !== last.blockhash)
      return { linked, obstacle: { kind: 'fork', slot: block.slot } }
    linked.push(block)
    last = block
  }
  return { linked, obstacle: null }
}
