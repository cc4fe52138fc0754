// The use cases of wallets to which nothing is returned automatically. For the operator.
import type { Address, Network } from '#core/chain/types.ts'
import type { Custodian } from '#core/payments/obstacle.ts'

/** Wallets to which nothing is returned automatically. For the operator. */
export type CustodianServices = {
  list(network: Network | null): Promise<readonly Custodian[]>
  /** Adds wallets, or changes their labels, and returns the whole list of the network. */
  save(network: Network, wallets: readonly Omit<Custodian, 'network'>[]): Promise<readonly Custodian[]>
  /** Returns false when the wallet was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
}
