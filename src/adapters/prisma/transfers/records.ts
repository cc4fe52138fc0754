// The records of transfers, as every subject writes them within its own transaction: planned, booked, withdrawn or
// held, and the ledger. docs/money.md, "The three records".
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { keyPathToText } from '#core/chain/keys.ts'
import {
  type AttemptOutcome,
  LIVE_ATTEMPT_STATES,
  type NewLedgerEntry,
  type NewTransfer,
  type StatusOverride,
} from '#core/transfers/transfer.ts'

export type Tx = Prisma.TransactionClient

/** Rolls the transaction back when its facts have changed. */
export class VersionConflict extends Error {}

/** The column that also names the subject, so that the database keeps the two together. */
const SUBJECT_COLUMNS: Readonly<Record<string, (id: string) => { intentId?: string }>> = {
  payment: (intentId) => ({ intentId }),
  rent: (intentId) => ({ intentId }),
}

/** Inserts an obligation with its legs. `version` is that of its subject; `reason` is the operator's for a release. */
export async function writeTransfer(
  tx: Tx,
  { legs, subject, authority, ...transfer }: NewTransfer,
  { now, version, reason = null }: { readonly now: Date; readonly version: number; readonly reason?: string | null },
): Promise<void> {
  await tx.transfer.create({
    data: {
      ...(reason !== null && { release: { create: { reason, createdAt: now } } }),
      ...transfer,
      subjectKind: subject.kind,
      subjectId: subject.id,
      ...SUBJECT_COLUMNS[subject.kind]?.(subject.id),
      authority: authority.address,
      authorityKey: keyPathToText(authority.key),
      createdAt: now,
      plannedVersion: version,
      nextAttemptAt: now,
      legs: { create: legs.map((leg, position) => ({ ...leg, amount: leg.amount.toString(), position })) },
    },
  })
}

/** Ends an attempt and its transfer. Throws VersionConflict when another worker did, or has taken over the lease. */
export async function writeOutcome(tx: Tx, outcome: AttemptOutcome): Promise<void> {
  const { slot, at: resolvedAt, reason } = outcome
  const attempt = await tx.transferAttempt.updateMany({
    where: { id: outcome.attemptId, transferId: outcome.transferId, state: { in: [...LIVE_ATTEMPT_STATES] } },
    data: { state: outcome.attemptState, slot, resolvedAt, error: reason },
  })
  const transfer = await tx.transfer.updateMany({
    where: { id: outcome.transferId, status: 'in_progress', fence: outcome.fence },
    data: {
      status: outcome.transferStatus,
      reason,
      signature: outcome.attemptState === 'final_ok' ? outcome.signature : null,
      doneAt: outcome.at,
      leaseUntil: null,
    },
  })
  // Another worker booked it already, or has taken over the lease: this one writes nothing.
  if (attempt.count !== 1 || transfer.count !== 1) throw new VersionConflict()
  if (outcome.moved.length === 0) return
  const moved = outcome.moved.map((amount) => amount.toString())
  const written = await tx.$executeRaw`
    UPDATE transfer_legs leg SET moved_amount = given.amount
    FROM unnest(${moved}::numeric[]) WITH ORDINALITY AS given(amount, place)
    WHERE leg.transfer_id = ${outcome.transferId}::uuid AND leg.position = given.place - 1`
  if (written !== moved.length) throw new Error(`${moved.length} legs moved, and ${written} are known`)
}

/** Overrides the status of a transfer. Throws VersionConflict when the transfer has changed since it was read. */
export async function writeStatusOverride(tx: Tx, statusOverride: StatusOverride, now: Date): Promise<void> {
  const { transferId: id, status, reason, fence } = statusOverride
  if (status === 'planned') return await planAgain(tx, statusOverride, now)
  // Without a lease, the transfer may have an attempt that no worker has signed yet. The row of the attempt decides which
  // comes first, this or the signature.
  if (fence === null) await endUnsigned(tx, id, now)
  const { count } = await tx.transfer.updateMany({
    where: {
      id,
      ...(fence === null ? { status: { in: ['planned', 'in_progress', 'held'] } } : { status: 'in_progress', fence }),
      attempts: { none: { state: { in: [...LIVE_ATTEMPT_STATES] } } },
    },
    data: {
      status,
      reason,
      leaseUntil: null,
      doneAt: status === 'failed' ? now : null,
      // A worker that has claimed the transfer loses its lease.
      ...(fence === null && { fence: { increment: 1 } }),
    },
  })
  if (count !== 1) throw new VersionConflict()
}

async function planAgain(tx: Tx, { transferId: id, reason }: StatusOverride, now: Date): Promise<void> {
  const { count } = await tx.transfer.updateMany({
    where: { id, status: { in: ['failed', 'held'] }, attempts: { none: { state: 'final_ok' } } },
    data: {
      status: 'planned',
      reason,
      nextAttemptAt: now,
      doneAt: null,
      leaseUntil: null,
      fence: { increment: 1 },
    },
  })
  if (count !== 1) throw new VersionConflict()
}

/** Ends an attempt that is not signed: its bytes exist nowhere outside the service. */
const endUnsigned = (tx: Tx, transferId: string, now: Date) =>
  tx.transferAttempt.updateMany({ where: { transferId, state: 'prepared' }, data: { state: 'dead', resolvedAt: now } })

/**
 * Writes ledger entries. An entry for a (signature, account, asset) that exists already is left as it is. `createdAt` is the
 * service's time, by which budgets count.
 */
export async function writeLedger(tx: Tx, entries: readonly NewLedgerEntry[], createdAt: Date): Promise<void> {
  if (entries.length === 0) return
  await tx.ledgerEntry.createMany({
    data: entries.map((entry) => ({ ...entry, delta: entry.delta.toString(), createdAt })),
    skipDuplicates: true,
  })
}
