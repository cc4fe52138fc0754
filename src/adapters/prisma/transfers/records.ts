// The records of transfers, as every subject writes them within its own transaction: planned, booked, withdrawn or
// held, and the ledger. docs/money.md, "The three records".
import { definitions, rowNames, sqlNames } from '#adapters/prisma/sql.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { keyPathToText } from '#core/chain/keys.ts'
import type {
  AttemptOutcome,
  NewLedgerEntry,
  NewTransfer,
  ReleaseReason,
  StatusOverride,
} from '#core/transfers/transfer.ts'
import { LIVE, LIVE_ATTEMPTS, PLANNED_COLUMNS, PLANNED_LEG_COLUMNS } from './transfer-rows.ts'

/** The kinds of subjects whose id is also that of a payment, so that the database keeps the two together. */
const SUBJECTS_OF_PAYMENTS = ['payment', 'rent']

export type PlannedTransfer = {
  readonly transfer: NewTransfer
  readonly at: Date
  /** The version of its subject. */
  readonly version: number
  /** The operator's reason for a release; null for every other transfer. */
  readonly reason: ReleaseReason | null
}

const INSERT_TRANSFERS = `
INSERT INTO transfers (${sqlNames(PLANNED_COLUMNS)}, intent_id, next_attempt_at, updated_at)
SELECT ${rowNames(PLANNED_COLUMNS)}, CASE WHEN "subjectKind" = ANY ($2::text[]) THEN "subjectId" END, "createdAt", "createdAt"
FROM jsonb_to_recordset($1::jsonb) AS given (${definitions(PLANNED_COLUMNS)})`

const INSERT_LEGS = `
INSERT INTO transfer_legs (transfer_id, ${sqlNames(PLANNED_LEG_COLUMNS)})
SELECT transfer.id, ${rowNames(PLANNED_LEG_COLUMNS)}
FROM jsonb_to_recordset($1::jsonb) AS leg (key text, ${definitions(PLANNED_LEG_COLUMNS)}) JOIN transfers transfer USING (key)`

const INSERT_RELEASES = `
INSERT INTO releases (transfer_id, reason, created_at)
SELECT transfer.id, coalesce(earlier.reason, given.reason), given.at
FROM jsonb_to_recordset($1::jsonb) AS given (key text, reason text, "sameAs" uuid, at timestamptz)
JOIN transfers transfer USING (key) LEFT JOIN releases earlier ON earlier.transfer_id = given."sameAs"`

/** Inserts transfers with their legs. */
export async function writeTransfers(tx: Tx, planned: readonly PlannedTransfer[]): Promise<void> {
  if (planned.length === 0) return
  const rows = planned.map(({ transfer: { legs, subject, authority, ...transfer }, at, version }) => ({
    ...transfer,
    subjectKind: subject.kind,
    subjectId: subject.id,
    authority: authority.address,
    authorityKey: keyPathToText(authority.key),
    plannedVersion: version,
    createdAt: at,
  }))
  const legs = planned.flatMap(({ transfer: { key, legs } }) =>
    legs.map((leg, position) => ({ ...leg, key, position, amount: leg.amount.toString() })),
  )
  await tx.$executeRawUnsafe(INSERT_TRANSFERS, JSON.stringify(rows), SUBJECTS_OF_PAYMENTS)
  await tx.$executeRawUnsafe(INSERT_LEGS, JSON.stringify(legs))
  const releases = planned.filter(({ reason }) => reason !== null)
  if (releases.length === 0) return
  const reasons = releases.map(({ transfer: { key }, reason, at }) => ({
    key,
    at,
    ...(typeof reason === 'string' ? { reason } : reason),
  }))
  await tx.$executeRawUnsafe(INSERT_RELEASES, JSON.stringify(reasons))
}

const END_ATTEMPTS = `
WITH outcome AS (
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS outcome ("attemptId" uuid, "transferId" uuid, fence bigint,
    "attemptState" attempt_state, "transferStatus" transfer_status, reason text, signature text, slot bigint,
    at timestamptz)
), attempt AS (
  UPDATE transfer_attempts attempt SET state = outcome."attemptState", slot = outcome.slot, resolved_at = outcome.at,
    error = outcome.reason
  FROM outcome
  WHERE attempt.id = outcome."attemptId" AND attempt.transfer_id = outcome."transferId"
    AND attempt.state IN ${LIVE_ATTEMPTS}
  RETURNING 1
), transfer AS (
  UPDATE transfers transfer SET status = outcome."transferStatus", reason = outcome.reason, done_at = outcome.at,
    signature = CASE WHEN outcome."attemptState" = 'final_ok' THEN outcome.signature END, lease_until = NULL,
    updated_at = outcome.at
  FROM outcome
  WHERE transfer.id = outcome."transferId" AND transfer.status = 'in_progress' AND transfer.fence = outcome.fence
  RETURNING 1
)
SELECT (SELECT count(*) FROM attempt)::int AS attempts, (SELECT count(*) FROM transfer)::int AS transfers`

const MOVE_LEGS = `
UPDATE transfer_legs leg SET moved_amount = given.amount
FROM jsonb_to_recordset($1::jsonb) AS given ("transferId" uuid, position int, amount numeric)
WHERE leg.transfer_id = given."transferId" AND leg.position = given.position`

/** Gives a transfer an attempt for a transaction that was found in the history, or makes its dead attempt the successful one. */
const END_FOUND = `
WITH transfer AS (
  UPDATE transfers SET status = 'done', reason = $4, done_at = $6, signature = $3, lease_until = NULL,
    attempt_count = attempt_count + 1, fence = fence + 1, updated_at = $6
  WHERE id = $1::uuid AND fence = $2::bigint AND status <> 'done'
    AND NOT EXISTS (SELECT FROM transfer_attempts WHERE transfer_id = $1::uuid AND state IN ${LIVE_ATTEMPTS})
  RETURNING id, attempt_count, source, fence
)
INSERT INTO transfer_attempts AS attempt (transfer_id, number, state, source, message, wire, signature, blockhash,
  last_valid_block_height, known_signature, fence, slot, created_at, resolved_at)
SELECT id, attempt_count, 'final_ok', source, '', '', $3, '', 0, $3, fence, $5::bigint, $6, $6 FROM transfer
ON CONFLICT (signature) DO UPDATE SET state = 'final_ok', slot = $5::bigint, error = NULL, resolved_at = $6
  WHERE attempt.state = 'dead' AND attempt.transfer_id = $1::uuid`

async function endFound(tx: Tx, { transferId, fence, signature, reason, slot, at }: AttemptOutcome): Promise<void> {
  await tx.$queryRaw`SELECT id FROM transfers WHERE id = ${transferId}::uuid FOR UPDATE`
  await endUnsigned(tx, transferId, at)
  const given = [transferId, fence.toString(), signature, reason, slot?.toString() ?? null, at]
  if ((await tx.$executeRawUnsafe(END_FOUND, ...given)) !== 1) throw new VersionConflict()
}

/** Ends attempts and their transfers. Throws VersionConflict when another worker did, or has taken over a lease. */
export async function writeOutcomes(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const { found = [], live = [] } = Object.groupBy(outcomes, ({ attemptId }) => (attemptId === null ? 'found' : 'live'))
  for (const one of found) await endFound(tx, one)
  await endLive(tx, live)
  await moveLegs(tx, outcomes)
}

async function endLive(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  if (outcomes.length === 0) return
  const rows = outcomes.map(({ moved, fence, slot, ...outcome }) => ({
    ...outcome,
    fence: fence.toString(),
    slot: slot?.toString() ?? null,
  }))
  const [ended] = await tx.$queryRawUnsafe<{ attempts: number; transfers: number }[]>(
    END_ATTEMPTS,
    JSON.stringify(rows),
  )
  // Another worker booked it already, or has taken over the lease: this one writes nothing.
  if (ended?.attempts !== outcomes.length || ended.transfers !== outcomes.length) throw new VersionConflict()
}

async function moveLegs(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const moved = outcomes.flatMap(({ transferId, moved }) =>
    moved.map((amount, position) => ({ transferId, position, amount: amount.toString() })),
  )
  if (moved.length === 0) return
  const written = await tx.$executeRawUnsafe(MOVE_LEGS, JSON.stringify(moved))
  if (written !== moved.length) throw new Error(`${moved.length} legs moved, and ${written} are known`)
}

/** Overrides the status of a transfer. Throws VersionConflict when the transfer has changed since it was read. */
export async function writeStatusOverride(tx: Tx, statusOverride: StatusOverride, now: Date): Promise<void> {
  const { transferId: id, status, reason, fence } = statusOverride
  // A statement of its own: the next ones see every attempt that was stored before this transaction had the row.
  await tx.$queryRaw`SELECT id FROM transfers WHERE id = ${id}::uuid FOR UPDATE`
  if (status === 'planned') return await planAgain(tx, statusOverride, now)
  // Without a lease, the transfer may have an attempt that no worker has signed yet. The row of the attempt decides which
  // comes first, this or the signature.
  if (fence === null) await endUnsigned(tx, id, now)
  const { count } = await tx.transfer.updateMany({
    where: {
      id,
      ...(fence === null ? { status: { in: ['planned', 'in_progress', 'held'] } } : { status: 'in_progress', fence }),
      attempts: { none: { state: { in: LIVE } } },
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
    where: {
      id,
      status: { in: ['failed', 'held'] },
      attempts: { none: { state: { in: [...LIVE, 'final_ok'] } } },
    },
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

/** Ledger entries of one moment: the service's time, by which budgets count. */
export type Booked = { readonly entries: readonly NewLedgerEntry[]; readonly at: Date }

/** Writes ledger entries. An entry for a (signature, account, asset) that exists already is left as it is. */
export async function writeLedger(tx: Tx, booked: readonly Booked[]): Promise<void> {
  const data = booked.flatMap(({ entries, at }) =>
    entries.map((entry) => ({ ...entry, delta: entry.delta.toString(), createdAt: at })),
  )
  if (data.length > 0) await tx.ledgerEntry.createMany({ data, skipDuplicates: true })
}
