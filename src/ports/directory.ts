// The lists that an operator keeps: tokens that are accepted, and wallets to which nothing is returned automatically.
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { Custodian } from '#core/payments/obstacle.ts'
import type { Token } from '#core/tokens/token.ts'

export type TokenStore = {
  /** Stores a token. One that is stored already keeps its image, whatever is given. */
  save(token: Token): Promise<Token>
  /** Changes the image alone: what else is known of the token may change meanwhile. Returns null for an unknown token. */
  saveImage(network: Network, asset: Asset, imageName: string | null): Promise<Token | null>
  list(network: Network | null): Promise<readonly Token[]>
  find(network: Network, asset: Asset): Promise<Token | null>
}

export type CustodianStore = {
  /** Adds wallets, or changes their labels, in one transaction. */
  save(custodians: readonly Custodian[]): Promise<void>
  /** Returns false when the wallet was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
  list(network: Network | null): Promise<readonly Custodian[]>
}
