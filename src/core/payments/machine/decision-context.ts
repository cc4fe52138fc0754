// What a machine needs to know besides the intent's own facts.
import type { Asset } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { Decimal } from '#core/money/price.ts'
import type { Custodians } from '#core/payments/returns/custodians.ts'
import type { FeeTerms } from '#core/payments/settlement-plan.ts'
import type { Token } from '#core/tokens/token.ts'

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
