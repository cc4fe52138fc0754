// Asks whether the next attempt of a transfer may create the token account of its business. The claim is stored before the attempt.
import { ONE_PAYOUT_ACCOUNT_IN_MS, type PayoutCreation, sellerLimitAt } from '#core/transfers/payout-creation.ts'
import type { Transfer } from '#core/transfers/transfer.ts'
import type { Clock } from '#ports/clock.ts'
import type { TransferStore } from '#ports/transfers.ts'

export type PayoutCreationDeps = {
  readonly transfers: Pick<TransferStore, 'claimPayoutCreation'>
  readonly clock: Clock
}

/** Claims the creation of the token account of the business for the attempt that follows. `isCharge`: a limit for sellers holds. */
export async function claimPayoutCreation(
  { transfers, clock }: PayoutCreationDeps,
  { id: transferId, network, asset, accountId, attemptCount }: Transfer,
  { isCharge }: { readonly isCharge: boolean },
): Promise<PayoutCreation> {
  if (accountId === null) throw new Error(`transfer ${transferId} has no business`)
  const at = clock.now()
  const since = new Date(at.getTime() - ONE_PAYOUT_ACCOUNT_IN_MS)
  return await transfers.claimPayoutCreation(
    {
      network,
      asset,
      accountId,
      transferId,
      attempt: attemptCount + 1,
      at,
      sellerLimit: isCharge ? sellerLimitAt(at) : null,
    },
    since,
  )
}
