// The wallet that receives the money of a business: changed by its owner, now or after a delay.
import type { PayoutChange } from '#core/accounts/payout-change.ts'
import type { Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { AccountStore, PayoutStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { DirectoryChanged } from './directory.ts'
import type { Manager } from './manager.ts'
import type { JudgeSweepDestination } from './sweep-destination.ts'

export type PayoutServices = {
  /** Changes the wallet, or plans that for after the delay. Null clears it. Throws `invalid_address`. */
  change(manager: Manager, destination: Address | null): Promise<void>
  /** Cancels a change that waits. Throws `payout_change_not_found`. */
  cancel(manager: Pick<Manager, 'tenant' | 'actor'>): Promise<PayoutChange>
  pending(accountId: string): Promise<PayoutChange | null>
}

export type PayoutDeps = {
  readonly accounts: Pick<AccountStore, 'update'>
  readonly payouts: PayoutStore
  readonly judgeSweepDestination: JudgeSweepDestination
  readonly directoryChanged: DirectoryChanged
  readonly payoutDelayHours: number
  readonly clock: Clock
}

const HOUR_MS = 3_600_000

export const createPayoutServices = (deps: PayoutDeps): PayoutServices => ({
  async change({ tenant, actor }, destination) {
    if (destination !== null) await deps.judgeSweepDestination(tenant.network, destination)
    const by = { actor, at: deps.clock.now() }
    const effectiveAt = new Date(by.at.getTime() + deps.payoutDelayHours * HOUR_MS)
    if (effectiveAt > by.at) await deps.payouts.request(tenant, { destination, effectiveAt }, by)
    else await deps.accounts.update(tenant.accountId, { sweepDestination: destination }, by)
    await deps.directoryChanged()
  },

  async cancel({ tenant, actor }) {
    const change = await deps.payouts.cancel(tenant.accountId, { actor, at: deps.clock.now() })
    if (change === null) throw new ServiceError('payout_change_not_found')
    return change
  },

  pending: (accountId) => deps.payouts.pending(accountId),
})

const MOST_AT_ONCE = 100

/** Makes the changes that are due. To be called every few seconds. */
export const createPayoutChanger =
  ({ payouts, directoryChanged, clock }: Pick<PayoutDeps, 'payouts' | 'directoryChanged' | 'clock'>) =>
  async (): Promise<{ readonly again: boolean }> => {
    for (let count = 0; count < MOST_AT_ONCE; count += 1) {
      if ((await payouts.applyNext(clock.now())) === null) return { again: false }
      await directoryChanged()
    }
    return { again: true }
  }
