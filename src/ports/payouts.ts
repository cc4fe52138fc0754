import type { Account, Tenant } from '#core/accounts/account.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import type { PayoutChange } from '#core/accounts/payout-change.ts'

export type PayoutStore = {
  pending(accountId: string): Promise<PayoutChange | null>
  /** Stores a change for later, in the place of one that waits. One to the present wallet only cancels that. */
  request(
    tenant: Tenant,
    change: Omit<PayoutChange, 'accountId' | 'requestedBy' | 'requestedAt'>,
    by: Authorship,
  ): Promise<void>
  /** Returns the change that waited; null when there was none. */
  cancel(accountId: string, by: Authorship): Promise<PayoutChange | null>
  /** Makes a change that is due, by the actor that asked for it. Returns null when none is. */
  applyNext(now: Date): Promise<Account | null>
}
