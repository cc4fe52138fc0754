// The operator's list of wallets to which nothing is returned automatically. A change applies from the next decision
// on. A refund that was planned before is checked again before it is signed.
import type { CustodianStore } from '#ports/custodians.ts'
import type { DirectoryChanged } from '#services/accounts/directory-changes.ts'
import type { CustodianServices } from '#services/custodians/custodian-services.ts'

export function createCustodianServices({
  custodians,
  directoryChanged,
}: {
  readonly custodians: CustodianStore
  readonly directoryChanged: DirectoryChanged
}): CustodianServices {
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
