import type { Lifetime } from '#core/chain/types.ts'

/** A transaction can land in this many blocks after that of its blockhash. */
export const BLOCKHASH_LIFE = 150n

/** Returns the height of the chain, in blocks, when the lifetime was read: that of the newest blockhash. */
export const blockHeightOf = ({ lastValidBlockHeight }: Lifetime): bigint => lastValidBlockHeight - BLOCKHASH_LIFE

/** Returns how many blocks after this height may still contain a transaction; zero or less when none may. */
export const blocksLeft = ({ lastValidBlockHeight }: Lifetime, blockHeight: bigint): bigint =>
  lastValidBlockHeight - blockHeight
