// One transaction for every change of a subject: its state, its transfers, the ledger, events and notices. All of it is
// written, or nothing.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { DELIVERIES_DUE, TRANSFERS_DUE } from '#adapters/prisma/engine/notices.ts'
import { GIVEN_EVENTS, STAGE_EVENTS, type StagedEvent } from '#adapters/prisma/events/outbox.ts'
import {
  type Tx,
  VersionConflict,
  writeLedger,
  writeOutcome,
  writeStatusOverride,
  writeTransfer,
} from '#adapters/prisma/transfers/records.ts'
import type { AttemptOutcome, NewLedgerEntry, NewTransfer, StatusOverride } from '#core/transfers/transfer.ts'

export type Commit = {
  /** The time of the change, and the subject's version after it. */
  readonly at: Date
  readonly version: number
  readonly transfers: readonly NewTransfer[]
  /** The operator's reason for a transfer, by its key. */
  readonly reasons: ReadonlyMap<string, string>
  readonly outcome: AttemptOutcome | null
  readonly statusOverride: StatusOverride | null
  readonly ledger: readonly NewLedgerEntry[]
  readonly events: readonly StagedEvent[]
  /** Sent to every instance once the change has committed. */
  readonly notice: { readonly channel: string; readonly payload: string }
}

/**
 * Writes the subject's own state with `writeState`, and then everything else. `writeState` locks the subject's row
 * first, so changes of one subject queue there and the later writes cannot race. Returns false, with nothing written,
 * when `writeState` or a record of money out throws VersionConflict: the facts have changed since they were read.
 */
export async function commit(
  db: Pick<Database, 'prisma'>,
  writeState: (tx: Tx) => Promise<void>,
  change: Commit,
): Promise<boolean> {
  try {
    await db.prisma.$transaction(async (tx) => {
      await writeState(tx)
      await writeMoney(tx, change)
      await stage(tx, change)
    })
    return true
  } catch (error) {
    if (error instanceof VersionConflict) return false
    throw error
  }
}

async function writeMoney(tx: Tx, { at, version, transfers, reasons, ...change }: Commit): Promise<void> {
  for (const transfer of transfers) {
    await writeTransfer(tx, transfer, { now: at, version, reason: reasons.get(transfer.key) ?? null })
  }
  if (change.outcome !== null) await writeOutcome(tx, change.outcome)
  if (change.statusOverride !== null) await writeStatusOverride(tx, change.statusOverride, at)
  await writeLedger(tx, change.ledger, at)
}

const STAGE = `
WITH ${GIVEN_EVENTS}, ${STAGE_EVENTS}
SELECT pg_notify($2, $3)::text,
  CASE WHEN EXISTS (SELECT FROM queued) THEN pg_notify('${DELIVERIES_DUE}', '') END::text,
  CASE WHEN $4::boolean THEN pg_notify('${TRANSFERS_DUE}', '') END::text`

async function stage(tx: Tx, { events, notice, transfers, statusOverride }: Commit): Promise<void> {
  const isTransferDue = transfers.length > 0 || statusOverride?.status === 'planned'
  await tx.$queryRawUnsafe(STAGE, JSON.stringify(events), notice.channel, notice.payload, isTransferDue)
}
