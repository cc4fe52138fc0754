// What a machine needs to know besides the intent's own facts.

import type { Address, Asset } from '#core/chain/types.ts'
import type { BasisPoints, Lamports } from '#core/money/amounts.ts'
import type { Decimal } from '#core/money/price.ts'
import type { Custodians } from '#core/payments/obstacle.ts'
import type { Token } from '#core/tokens/token.ts'

/** The platform's own terms, from its configuration. */
export type FeeTerms = {
  /** Taken only on payments for a seller. */
  readonly platformFeeBps: BasisPoints
  readonly platformWallet: Address | null
  /** What a settlement, refund or release in SOL repays to the fee payer. */
  readonly networkFee: Lamports
  /** The priority fee for each compute unit, in millionths of a lamport. */
  readonly computeUnitPrice: bigint
  readonly feePayer: Address
}

export type DecisionContext = {
  readonly now: Date
  readonly terms: FeeTerms
  /** The least that the chain lets an account without data hold, in lamports. */
  readonly rentMinimum: Lamports
  /** The network's allowlist by asset, disabled tokens included. */
  readonly tokens: ReadonlyMap<Asset, Token>
  /** Dollars per whole unit, for each asset of the allowlist whose price is known. */
  readonly prices: ReadonlyMap<Asset, Decimal>
  /** The network's wallets to which nothing is returned automatically. */
  readonly custodians: Custodians
}
