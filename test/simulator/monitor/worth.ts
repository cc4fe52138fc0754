// What an amount of an asset is worth at most. A token costs a dollar.
import { type Asset, SOL } from '#core/chain/types.ts'
import type { Stage } from '../stage.ts'

/** SOL is never below 150 dollars, and prices may be an hour old, in which it changes by up to six percent. */
const LAMPORTS_OF_A_DOLLAR = 7_100_000n

/** Returns lamports, rounded up; zero for a token that has no price. */
export function lamportsWorth({ mints }: Pick<Stage, 'mints'>, asset: Asset, amount: bigint): bigint {
  const mint = mints.get(asset)
  if (asset === SOL) return amount
  return mint === undefined ? 0n : (amount * LAMPORTS_OF_A_DOLLAR) / 10n ** BigInt(mint.decimals) + 1n
}
