// Reading a chain block by block: the other way of seeing deposits, whose cost does not grow with what is watched.
import type { Address, ObservedTransaction, Signature } from '#core/chain/types.ts'

/** A place in the finalized chain: a block and, by its hash, everything before it. */
export type BlockPlace = { readonly slot: bigint; readonly blockhash: string }

/** A final block, boiled down to what touched watched addresses. */
export type ScannedBlock = BlockPlace & {
  readonly parentSlot: bigint
  readonly parentBlockhash: string
  readonly time: Date | null
  readonly notices: readonly BlockNotice[]
}

/** A transaction that brought something to watched addresses. */
export type BlockNotice = {
  readonly signature: Signature
  /** Whose balance of anything rose. Some may not be watched at all: to be looked up. */
  readonly owners: readonly Address[]
  /** Null where the block does not tell it exactly: to be read by its signature. */
  readonly transaction: ObservedTransaction | null
}

/** Every method rejects with ServiceError('chain_unavailable') when no provider answers in time. */
export type BlockSource = {
  /** Blocks that are asked for from now on are searched for these as well, for ever. Answers with the new ones. */
  watch(addresses: readonly Address[]): readonly Address[]
  /** How many addresses are watched. */
  readonly watched: number
  /**
   * Slots with a final block, from `after` + 1 to `after` + `span`, ascending. Only a hint: a provider may leave some
   * out. With `insist` those that know of none are not believed while others are left to be asked.
   */
  finalSlots(after: bigint, span: number, insist: boolean): Promise<readonly bigint[]>
  /** The newest slot known to be final. It may have been skipped. */
  newestFinalSlot(): Promise<bigint>
  /** A final block; null when no provider has it, whatever each says why. */
  finalBlock(slot: bigint): Promise<ScannedBlock | null>
  /** The oldest slot that some provider still has the block of. */
  oldestSlot(): Promise<bigint>
  close(): Promise<void>
}

/** Pushes of how far the chain is final. Hints: the blocks themselves are read and linked. */
export type FinalityNotices = {
  /** Replaces the listener; with null, nothing is listened to. */
  followFinality(listener: ((slot: bigint) => void) | null): void
}
