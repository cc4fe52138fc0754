// The end of an attempt that did not land, and the consequence for its transfer. docs/money.md, "Proof of expiry".
import type { Attempt, LeasedTransfer } from '#core/transfers/transfer.ts'
import type { Clock } from '#ports/clock.ts'
import type { TransferStore } from '#ports/transfers.ts'
import type { Subjects } from './subject.ts'

/** The number of abandoned attempts after which a person has to decide. */
export const MAX_ATTEMPTS = 8

/** Returns whether no further attempt follows. A retry by a person permits as many attempts again. */
export const isLast = ({ number }: Pick<Attempt, 'number'>): boolean => number % MAX_ATTEMPTS === 0

type AbandonDeps = {
  readonly transfers: Pick<TransferStore, 'recordAttempt'>
  readonly subjects: Subjects
  readonly clock: Clock
}

/**
 * Abandons an attempt that cannot land, so that another may follow. Returns true when it was the last, and the subject gives
 * the transfer up with the reason.
 */
export async function abandonAttempt(
  { transfers, subjects, clock }: AbandonDeps,
  leased: LeasedTransfer,
  attempt: Attempt,
  reason: string,
): Promise<boolean> {
  if (isLast(attempt)) {
    await subjects.of(leased.transfer).giveUp(leased, attempt, reason)
    return true
  }
  await transfers.recordAttempt(leased.lease, attempt.id, 'dead', { now: clock.now(), error: reason })
  return false
}
