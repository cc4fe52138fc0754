// Links blocks by the parent that each one names. This proves that no block is missing; a list of a provider, or its report
// that a slot was skipped, proves nothing.

export type LinkedBlock = {
  readonly slot: bigint
  readonly blockhash: string
  readonly parentSlot: bigint
  readonly parentBlockhash: string
}

export type Linked<Block> = {
  /** The blocks that follow the head without a gap, oldest first. */
  readonly linked: readonly Block[]
  /**
   * Why the next block was not linked. `missing`: the block at `slot` has to be read first. `fork`: it follows another
   * block than the head, so one of the two is not on the finalized chain.
   */
  readonly obstacle: null | { readonly kind: 'missing' | 'fork'; readonly slot: bigint }
}

/** Links blocks, which may be in any order. Blocks up to the head are skipped. */
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
