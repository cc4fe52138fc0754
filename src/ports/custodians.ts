// Wallets to which nothing is returned automatically.
import type { Address, Network } from '#core/chain/types.ts'
import type { Custodian } from '#core/payments/obstacle.ts'

export type CustodianStore = {
  /** Adds wallets, or changes their labels, in one transaction. */
  save(custodians: readonly Custodian[]): Promise<void>
  /** Returns false when the wallet was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
  list(network: Network | null): Promise<readonly Custodian[]>
}
