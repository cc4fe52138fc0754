// Whose rows of billing an edge can read.
import type { Tenant } from '#core/accounts/account.ts'

/** Columns are not selected: an object is read whole, and relations with it. */
export type WithoutColumns<Args> = Omit<Args, 'select' | 'omit'>
export type Without<Args> = Omit<Args, 'select' | 'omit' | 'include'>

/** Selects the rows of a business, and those of its sellers. */
export const visibleTo = ({ accountId, network }: Tenant) => ({
  account: { network, OR: [{ id: accountId }, { marketplaceAccountId: accountId }] },
})
