// The use cases of the allowlist.
import type { Asset, Network } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'

export type TokenServices = {
  /** Returns the enabled tokens of a network: the tokens that `accepted_tokens` may name. */
  allowed(network: Network): Promise<readonly Token[]>
  /** Returns every token of a network that was ever allowed. */
  known(network: Network): Promise<readonly Token[]>
  /** Returns the ticker of an asset that was ever allowed; null for any other. */
  tickerOf(network: Network, asset: Asset): Promise<string | null>
  list(): Promise<readonly Token[]>
  /**
   * Adds a token, or changes it. Reads decimals, program and extensions from the chain and judges them. Throws
   * `mint_not_supported`, `mint_needs_consent`, `invalid_mint`, `token_release_in_progress`.
   */
  allow(input: {
    network: Network
    asset: Asset
    name: string
    ticker: string
    feedKey: string | null
    /** The extensions of the mint to which the operator consents. */
    consent: readonly string[]
  }): Promise<Token>
  disallow(network: Network, asset: Asset): Promise<Token>
  /** Returns why the token has no price now, as a sentence that says what to do; null when it has a price. */
  priceProblem(token: Pick<Token, 'ticker' | 'feedKey' | 'mint'>): Promise<string | null>
}
