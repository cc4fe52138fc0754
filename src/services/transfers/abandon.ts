// The end of an attempt that never landed: what proves it, and what becomes of its obligation. docs/money.md, "Proof of expiry".
import type { Commitment, Signature } from '#core/chain/types.ts'
import type { Attempt, LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import type { BalanceReader, DepositKeys, ExpiryProver } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { sourceAccountOf } from './plan.ts'
import type { Subjects, TransferSubject } from './subject.ts'

/** Attempts that came to nothing, each proved, before a person is asked. */
export const MOST_ATTEMPTS = 8

/** Attempts are counted on after a person re-armed the transfer, which gives it as many again. */
export const isLast = ({ number }: Pick<Attempt, 'number'>): boolean => number % MOST_ATTEMPTS === 0

type Doubt = { readonly because: 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

/** Returns why the attempt may not be abandoned; null once it is proved that it never landed and never will. */
export async function doubtOf(
  deps: { readonly keys: Pick<DepositKeys, 'tokenAccountOf'>; readonly commitment: Commitment },
  chain: ExpiryProver & BalanceReader,
  transfer: Transfer,
  { signature, knownSignature, lifetime }: Attempt & { readonly signature: Signature },
  subject: Pick<TransferSubject, 'isUntouched'>,
): Promise<Doubt | null> {
  const proof = await chain.proveExpired({ signature, knownSignature, lifetime })
  if (!proof.expired) return proof
  // Providers that forgot a transaction all say that it never was; the money that it moved shows the truth.
  const { states } = await chain.readAccounts([await sourceAccountOf(deps.keys, transfer)], deps.commitment)
  if (subject.isUntouched(states[0] ?? null, transfer)) return null
  return { because: 'unproven', detail: 'no provider knows it, but what it was to move is not there any more' }
}

type AbandonDeps = {
  readonly transfers: Pick<TransferStore, 'recordAttempt'>
  readonly subjects: Subjects
  readonly clock: Clock
}

/**
 * Abandons an attempt that can never land: another may follow it. Returns true when too many came to nothing, and the
 * transfer is given up with the reason.
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
