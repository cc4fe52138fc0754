// One transaction for a change of a subject, or for changes of several: their state, transfers, ledger, events and notices.
// All of it is written, or nothing.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { DELIVERIES_DUE, TRANSFERS_DUE } from '#adapters/prisma/engine/notices.ts'
import { GIVEN_EVENTS, STAGE_EVENTS, type StagedEvent } from '#adapters/prisma/events/outbox.ts'
import { type Tx, unlessChanged } from '#adapters/prisma/transaction.ts'
import { writeLedger, writeOutcomes, writeStatusOverride, writeTransfers } from '#adapters/prisma/transfers/records.ts'
import type {
  AttemptOutcome,
  NewLedgerEntry,
  NewTransfer,
  ReleaseReason,
  StatusOverride,
} from '#core/transfers/transfer.ts'

export type Commit = {
  /** The time of the change, and the subject's version after it. */
  readonly at: Date
  readonly version: number
  readonly transfers: readonly NewTransfer[]
  /** The operator's reason for a transfer, by its key. */
  readonly reasons: ReadonlyMap<string, ReleaseReason>
  readonly outcome: AttemptOutcome | null
  readonly statusOverride: StatusOverride | null
  readonly ledger: readonly NewLedgerEntry[]
  readonly events: readonly StagedEvent[]
  /** Sent to every instance once the change has committed. */
  readonly notice: { readonly channel: string; readonly payload: string }
}

/**
 * Writes the subjects' own states with `writeState`, and then everything else. `writeState` locks the subjects' rows
 * first, so changes of one subject queue there and the later writes cannot race. Returns false, with nothing written,
 * when `writeState` or a record of money out throws VersionConflict: the facts have changed since they were read.
 */
export async function commit(
  db: Pick<Database, 'prisma'>,
  writeState: (tx: Tx) => Promise<void>,
  changes: readonly Commit[],
): Promise<boolean> {
  return await unlessChanged(() =>
    db.prisma.$transaction(async (tx) => {
      await writeState(tx)
      await writeMoney(tx, changes)
      await stage(tx, changes)
    }),
  )
}

async function writeMoney(tx: Tx, changes: readonly Commit[]): Promise<void> {
  await writeTransfers(
    tx,
    changes.flatMap(({ transfers, reasons, at, version }) =>
      transfers.map((transfer) => ({ transfer, at, version, reason: reasons.get(transfer.key) ?? null })),
    ),
  )
  await writeOutcomes(
    tx,
    changes.flatMap(({ outcome }) => outcome ?? []),
  )
  for (const { statusOverride, at } of changes) {
    if (statusOverride !== null) await writeStatusOverride(tx, statusOverride, at)
  }
  await writeLedger(
    tx,
    changes.map(({ ledger, at }) => ({ entries: ledger, at })),
  )
}

const STAGE = `
WITH ${GIVEN_EVENTS}, ${STAGE_EVENTS}
SELECT (SELECT count(pg_notify(channel, payload)::text) FROM unnest($2::text[], $3::text[]) AS notice(channel, payload)),
  CASE WHEN EXISTS (SELECT FROM queued) THEN pg_notify('${DELIVERIES_DUE}', '') END::text,
  CASE WHEN $4::int > 0 THEN pg_notify('${TRANSFERS_DUE}', $4::text) END::text`

async function stage(tx: Tx, changes: readonly Commit[]): Promise<void> {
  const events = changes.flatMap((change) => change.events)
  const [channels, payloads] = [
    changes.map(({ notice }) => notice.channel),
    changes.map(({ notice }) => notice.payload),
  ]
  await tx.$queryRawUnsafe(STAGE, JSON.stringify(events), channels, payloads, changes.filter(makesTransferDue).length)
}

const makesTransferDue = ({ transfers, statusOverride }: Commit): boolean =>
  transfers.length > 0 || statusOverride?.status === 'planned'
