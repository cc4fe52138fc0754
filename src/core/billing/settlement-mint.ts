// The stablecoin in which subscriptions are charged: one token is one US dollar. It is judged when it is used, because the
// allowlist can change while the service runs.
import type { Address } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'

export type SettlementMint = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
}

/** A cent must be a whole number of base units. */
const MIN_DECIMALS = 2

/** Returns the mint as the allowlist has it, or why it cannot be used: the end of a sentence about the mint. */
export function judgeSettlementMint(token: Token | undefined): SettlementMint | { readonly problem: string } {
  if (token?.enabled !== true || token.tokenProgram === null)
    return { problem: 'is not on the allowlist of the live network' }
  const { mint, tokenProgram, decimals } = token
  if (decimals < MIN_DECIMALS) return { problem: `has fewer than ${MIN_DECIMALS} decimals` }
  return { mint, tokenProgram, decimals }
}
