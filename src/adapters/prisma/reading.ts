// What reads share: an absent row is an error, and whose rows an edge can read.
import type { Tenant } from '#core/accounts/account.ts'
import { type ErrorCode, ServiceError } from '#core/errors.ts'

/** Returns the value. Throws `code` when it is null. */
export function found<T>(value: T | null, code: ErrorCode): T {
  if (value === null) throw new ServiceError(code)
  return value
}

/** Columns are not selected: an object is read whole, and relations with it. */
export type WithoutColumns<Args> = Omit<Args, 'select' | 'omit'>
export type Without<Args> = Omit<Args, 'select' | 'omit' | 'include'>

/** Selects the rows of a business, and those of its sellers. */
export const visibleTo = ({ accountId, network }: Tenant) => ({
  account: { network, OR: [{ id: accountId }, { marketplaceAccountId: accountId }] },
})
