// The allowlist of tokens.
import type { Asset, Network } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'

export type TokenStore = {
  /** Stores a token. One that is stored already keeps its image, whatever is given. */
  save(token: Token): Promise<Token>
  /** Changes the image alone: what else is known of the token may change meanwhile. Returns null for an unknown token. */
  saveImage(network: Network, asset: Asset, imageName: string | null): Promise<Token | null>
  list(network: Network | null): Promise<readonly Token[]>
  find(network: Network, asset: Asset): Promise<Token | null>
}
