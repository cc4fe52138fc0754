// The operator's list of wallets to which nothing is returned automatically. A change applies from the next decision
// on. A refund that was planned before is checked again before it is signed.
import type { Address, Network } from '#core/chain/types.ts'
import type { Custodian } from '#core/payments/obstacle.ts'
import type { CustodianStore } from '#ports/platform.ts'
import type { DirectoryChanged } from '#services/accounts/directory.ts'

/** Wallets to which nothing is returned automatically. For the operator. */
export type CustodianServices = {
  list(network: Network | null): Promise<readonly Custodian[]>
  /** Adds wallets, or changes their labels, and returns the whole list of the network. */
  save(network: Network, wallets: readonly Omit<Custodian, 'network'>[]): Promise<readonly Custodian[]>
  /** Returns false when the wallet was not on the list. */
  remove(network: Network, address: Address): Promise<boolean>
}

export type CustodianDeps = { readonly custodians: CustodianStore; readonly directoryChanged: DirectoryChanged }

export function createCustodianServices({ custodians, directoryChanged }: CustodianDeps): CustodianServices {
  return {
    list: (network) => custodians.list(network),

    async save(network, wallets) {
      await custodians.save(wallets.map((wallet) => ({ network, ...wallet })))
      await directoryChanged()
      return await custodians.list(network)
    },

    async remove(network, address) {
      const removed = await custodians.remove(network, address)
      await directoryChanged()
      return removed
    },
  }
}
