// Wallets to which nothing is returned automatically.
import type { Address, Network } from '#core/chain/types.ts'
import type { Custodian } from '#core/payments/returns/custodians.ts'

export type CustodianStore = {
  /** Adds wallets, or changes their labels: all of them or none. */
  save(custodians: readonly Custodian[]): Promise<void>
  /** False when it was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
  list(network: Network | null): Promise<readonly Custodian[]>
}
