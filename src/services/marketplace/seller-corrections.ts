// Corrections of a seller by the operator: while its marketplace is revoked, or its money cannot reach its wallet.
import { tenantOf } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import { sellerEntries } from '#core/marketplace/audit.ts'
import { judgeSeller } from '#core/marketplace/seller.ts'
import type { BasisPoints } from '#core/money/amounts.ts'
import type { AccountStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { SellerStore } from '#ports/marketplaces.ts'
import type { DirectoryChanged } from '#services/accounts/directory.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'
import { isUuid } from '#services/requests.ts'
import type { MarketplaceServices } from './marketplace-services.ts'
import { patched } from './sellers.ts'

export type CorrectionDeps = {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly sellers: Pick<SellerStore, 'change'>
  readonly directoryChanged: DirectoryChanged
  readonly judgePayout: JudgeSweepDestination
  readonly clock: Clock
  readonly maxMarketplaceFeeBps: BasisPoints
}

export const createCorrectSeller =
  (deps: CorrectionDeps): MarketplaceServices['correctSeller'] =>
  async (id, patch, actor) => {
    const find = async () => (isUuid(id) ? await deps.accounts.find(id) : null)
    const account = await find()
    if (account === null) throw new ServiceError('account_not_found', { id })
    const { network, marketplaceAccountId } = account
    if (marketplaceAccountId === null) throw invalid('id', 'is a business, which `account update` changes')
    if (Object.values(patch).every((value) => value === undefined)) throw invalid('input', 'has nothing to update')
    const refusal = judgeSeller(patch, deps.maxMarketplaceFeeBps)
    if (refusal !== null) throw new ServiceError('invalid_request', refusal)
    if (patch.sweepDestination != null) await deps.judgePayout(network, patch.sweepDestination)
    const tenant = tenantOf({ id: marketplaceAccountId, network })
    await deps.sellers.change(tenant, id, { actor, at: deps.clock.now() }, ({ seller }) => {
      const next = patched(seller, patch)
      return { next, entries: sellerEntries(seller, next) }
    })
    await deps.directoryChanged()
    return (await find()) ?? account
  }

const invalid = (field: string, rule: string): ServiceError => new ServiceError('invalid_request', { field, rule })
