// The end of an attempt that did not land: its proof, and the consequence for its obligation. docs/money.md, "Proof of expiry".
import type { Signature } from '#core/chain/types.ts'
import type { Attempt, LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import type { BalanceReader, DepositKeys, ExpiryProver } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { sourceAccountOf } from './plan.ts'
import type { Subjects, TransferSubject } from './subject.ts'

/** The number of abandoned attempts after which a person has to decide. */
export const MAX_ATTEMPTS = 8

/** Returns whether no further attempt follows. A retry by a person permits as many attempts again. */
export const isLast = ({ number }: Pick<Attempt, 'number'>): boolean => number % MAX_ATTEMPTS === 0

type Doubt = { readonly because: 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

/** Returns why the attempt may not be abandoned; null once it is proved that it cannot land. */
export async function doubtOf(
  deps: { readonly keys: Pick<DepositKeys, 'tokenAccountOf'> },
  chain: ExpiryProver & BalanceReader,
  transfer: Transfer,
  { signature, knownSignature, lifetime }: Attempt & { readonly signature: Signature },
  subject: Pick<TransferSubject, 'isUntouched'>,
): Promise<Doubt | null> {
  const proof = await chain.proveExpired({ signature, knownSignature, lifetime })
  if (!proof.expired) return proof
  // Providers that dropped a transaction from their history do not know it. The balance shows whether it moved the money.
  const { states } = await chain.readAccounts([await sourceAccountOf(deps.keys, transfer)])
  if (subject.isUntouched(states[0] ?? null, transfer)) return null
  return { because: 'unproven', detail: 'no provider knows it, but the money is no longer at its source' }
}

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
