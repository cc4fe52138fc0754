// What a machine needs to know besides the intent's own facts.
import type { Asset } from '#core/chain/types.ts'
import type { FeeTerms } from '#core/intents/settlement-plan.ts'
import type { Token } from '#core/tokens/token.ts'

export type Surroundings = {
  readonly now: Date
  readonly terms: FeeTerms
  /** The network's allowlist by asset, disabled tokens included. */
  readonly tokens: ReadonlyMap<Asset, Token>
}
