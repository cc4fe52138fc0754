// Reads a chain block by block. The cost of finding deposits this way does not grow with the number of addresses.
import type { Address, ObservedTransaction, Signature } from '#core/chain/types.ts'

/** A place in the finalized chain: a block and, by its hash, every block before it. */
export type BlockPlace = { readonly slot: bigint; readonly blockhash: string }

/** A final block, reduced to the transactions that paid watched addresses. */
export type ScannedBlock = BlockPlace & {
  readonly parentSlot: bigint
  readonly parentBlockhash: string
  readonly time: Date | null
  readonly notices: readonly BlockNotice[]
}

/** A transaction that increased a balance of watched addresses. */
export type BlockNotice = {
  readonly signature: Signature
  /** The addresses with an increased balance. Some may not be watched: the database decides. */
  readonly owners: readonly Address[]
  /** Null when the block does not contain it exactly: it is read by its signature. */
  readonly transaction: ObservedTransaction | null
}

/** Every method rejects with ServiceError('chain_unavailable') when no provider answers in time. */
export type BlockSource = {
  /** Adds addresses that later blocks are searched for. Returns the addresses that were not watched yet. */
  watch(addresses: readonly Address[]): readonly Address[]
  /** How many addresses are watched. */
  readonly watched: number
  /**
   * Returns slots with a final block, from `after` + 1 to `after` + `span`, ascending. Only a hint: a provider may
   * leave some out. With `insist`, an empty list counts only when every provider returns one.
   */
  finalSlots(after: bigint, span: number, insist: boolean): Promise<readonly bigint[]>
  /**
   * Returns the first slots after `after` with a final block, at most `limit`, ascending, however far away they are. Only
   * a hint. An empty list counts only when every provider returns one.
   */
  nextFinalSlots(after: bigint, limit: number): Promise<readonly bigint[]>
  /** Returns the newest final slot. It may have been skipped. */
  newestFinalSlot(): Promise<bigint>
  /** Returns a final block; null when no provider has it, whatever the reason. */
  finalBlock(slot: bigint): Promise<ScannedBlock | null>
  /** Returns the oldest slot whose block a provider still has. */
  oldestSlot(): Promise<bigint>
  close(): Promise<void>
}

/** Notices of how far the chain is final. Hints: the blocks themselves are read and linked. */
export type FinalityNotices = {
  /** Replaces the listener; null ends the notices. */
  followFinality(listener: ((slot: bigint) => void) | null): void
}
