// The allowlist of tokens.
import type { Asset, Network } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'

export type TokenStore = {
  save(token: Token): Promise<Token>
  list(network: Network | null): Promise<readonly Token[]>
  find(network: Network, asset: Asset): Promise<Token | null>
}
