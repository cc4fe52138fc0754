// The end of a transfer whose subject has no state of its own.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { Lease } from '#core/transfers/transfer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { leasedBy } from './lease.ts'
import { LIVE } from './live-attempts.ts'
import { writeLedger } from './records.ts'

type Outcome = Parameters<TransferStore['finish']>[1]

/** Implements `TransferStore.finish`. */
export const finish = (db: Database, lease: Lease, outcome: Outcome): Promise<boolean> =>
  db.prisma.$transaction((tx) => finishTransfer(tx, lease, outcome))

/** Ends a transfer and its attempt within the transaction of its subject. Returns false when the lease is lost. */
export async function finishTransfer(
  tx: Tx,
  lease: Lease,
  { attemptId, attemptState, status, reason, signature, slot, at, ledger }: Outcome,
): Promise<boolean> {
  const { count } = await tx.transfer.updateMany({
    where: { ...leasedBy(lease), status: 'in_progress' },
    data: {
      status,
      reason,
      signature: attemptState === 'final_ok' ? signature : null,
      doneAt: status === 'planned' ? null : at,
      leaseUntil: null,
    },
  })
  if (count !== 1) return false
  if (attemptId !== null && attemptState !== null) {
    await tx.transferAttempt.update({
      where: { id: attemptId, state: { in: LIVE } },
      data: { state: attemptState, slot, resolvedAt: at, error: reason },
    })
  }
  await writeLedger(tx, [{ entries: ledger, at }])
  return true
}
