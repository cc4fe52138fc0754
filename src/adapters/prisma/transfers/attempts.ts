// The attempts of transfers. The order of these writes is part of the money protocol: docs/money.md, "The protocol".
import { type Database, isDatabaseUnavailable, type Parameter } from '#adapters/prisma/engine/database.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { sqlList } from '#adapters/prisma/sql.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import type { Signature } from '#core/chain/types.ts'
import { type Attempt, type Lease, LIVE_ATTEMPT_STATES, type StoredTransaction } from '#core/transfers/transfer.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { isOverBudget } from './spend.ts'
import { LIVE_ATTEMPTS } from './transfer-rows.ts'

type AttemptRow = Prisma.TransferAttemptGetPayload<object>

export const attemptFromRow = (row: AttemptRow): Attempt => ({
  id: row.id,
  transferId: row.transferId,
  number: row.number,
  state: row.state,
  source: makeAddress(row.source),
  harvestWithheld: row.harvestWithheld,
  sentAt: row.sentAt,
  ...transactionFromRow(row),
})

type TransactionRow = Pick<
  AttemptRow,
  'message' | 'wire' | 'signature' | 'blockhash' | 'lastValidBlockHeight' | 'knownSignature' | 'createdAt'
>

export const transactionFromRow = (row: TransactionRow): StoredTransaction => ({
  message: row.message,
  wire: row.wire,
  signature: row.signature === null ? null : makeSignature(row.signature),
  lifetime: { blockhash: makeBlockhash(row.blockhash), lastValidBlockHeight: row.lastValidBlockHeight },
  knownSignature: makeSignature(row.knownSignature),
  createdAt: row.createdAt,
})

/** Rolls attempts back: one of their sources is halted. */
class Halted extends Error {}

/** Rolls an attempt back: transfers of its kind have cost the fee payer as much as they may. */
class OverBudget extends Error {}

type Stored = Pick<TransferStore, 'prepareAttempt' | 'recordSigned' | 'recordAttempt'>
type Prepared = { readonly lease: Lease; readonly attempt: Parameters<TransferStore['prepareAttempt']>[1] }
type Signed = { readonly lease: Lease; readonly id: string; readonly wire: Uint8Array; readonly signature: Signature }
type Recorded = {
  readonly lease: Lease
  readonly id: string
  readonly state: Parameters<TransferStore['recordAttempt']>[2]
  readonly details: Parameters<TransferStore['recordAttempt']>[3]
}

/** Attempts that reach a state at one moment are written together. */
const TOGETHER = { maxSize: 64, concurrency: 1, isSharedFailure: isDatabaseUnavailable }

/**
 * Attempts with a budget are written one after the other: the budget is locked until the transaction ends, and the others
 * would occupy a connection each while they wait for it.
 */
const IN_TURN = { ...TOGETHER, maxSize: 1 }

export function createAttemptStore(db: Database): Stored {
  const store = (some: readonly Prepared[]) => prepareAttempts(db, some)
  const prepareTogether = createBatcher(store, TOGETHER)
  const prepareInTurn = createBatcher(store, IN_TURN)
  const sign = createBatcher((some: readonly Signed[]) => recordSigned(db, some), TOGETHER)
  const record = createBatcher((some: readonly Recorded[]) => recordStates(db, some), TOGETHER)
  return {
    async prepareAttempt(lease, attempt) {
      const prepare = attempt.spending === undefined ? prepareTogether : prepareInTurn
      return (await prepare({ lease, attempt })).stored
    },
    recordSigned: (lease, id, wire, signature) => sign({ lease, id, wire, signature }),
    recordAttempt: (lease, id, state, details) => record({ lease, id, state, details }),
  }
}

/** A batch answers every item, and null is no answer. */
type Answer = { readonly stored: Attempt | null }

/** Stores attempts in one transaction. Throws when one of several cannot be stored: each is then tried alone. */
async function prepareAttempts(db: Database, some: readonly Prepared[]): Promise<readonly Answer[]> {
  try {
    return await db.prisma.$transaction((tx) => storeAttempts(tx, some))
  } catch (error) {
    // The unique index on live attempts: another attempt of this transfer, or of its source may still land.
    const isRefused = error instanceof Halted || error instanceof OverBudget || isUniqueViolation(error)
    if (some.length > 1 || !isRefused) throw error
    return [{ stored: null }]
  }
}

/**
 * Locks the transfers in the order of their ids. The attempts are inserted in the order of their sources. So two transactions
 * never wait for each other.
 */
const COUNT_ATTEMPTS = `
WITH leased AS (
  SELECT transfer.id FROM transfers transfer
  JOIN unnest($1::uuid[], $2::bigint[]) AS lease(id, fence) ON transfer.id = lease.id AND transfer.fence = lease.fence
  WHERE transfer.status = 'in_progress' AND transfer.lease_until IS NOT NULL AND NOT EXISTS (
    SELECT FROM transfer_attempts attempt
    WHERE attempt.transfer_id = transfer.id AND attempt.state IN ${sqlList([...LIVE_ATTEMPT_STATES, 'final_ok'])})
  ORDER BY transfer.id FOR UPDATE OF transfer
)
UPDATE transfers SET attempt_count = attempt_count + 1, budget_wait_cost = NULL FROM leased WHERE transfers.id = leased.id
RETURNING transfers.id::text`

const INSERT_ATTEMPTS = `
INSERT INTO transfer_attempts (id, transfer_id, number, state, source, message, harvest_withheld, known_signature, created_at,
  blockhash, last_valid_block_height, fence, spend_cost)
SELECT id, "transferId", number, 'prepared', source, decode(message, 'base64'), "harvestWithheld", "knownSignature",
  "createdAt", blockhash, "lastValidBlockHeight", fence, "spendCost"
FROM jsonb_to_recordset($1::jsonb) AS given (id uuid, "transferId" uuid, number int, source text, message text,
  "harvestWithheld" boolean, "knownSignature" text, "createdAt" timestamptz, blockhash text, "lastValidBlockHeight" bigint,
  fence bigint, "spendCost" bigint)
ORDER BY source`

async function storeAttempts(tx: Tx, some: readonly Prepared[]): Promise<readonly Answer[]> {
  const leases = [some.map(({ lease }) => lease.transferId), some.map(({ lease }) => lease.fence.toString())]
  const leased = await tx.$queryRawUnsafe<{ id: string }[]>(COUNT_ATTEMPTS, ...leases)
  const ids = new Set(leased.map(({ id }) => id))
  const stored = some.filter(({ lease }) => ids.has(lease.transferId))
  if (stored.length === 0) return some.map(() => ({ stored: null }))
  const address = { in: stored.map(({ attempt }) => attempt.source) }
  // A separate statement after the row locks: a halt locks the rows first, so this statement sees its insert.
  const halt = await tx.halt.findFirst({ where: { address, clearedAt: null }, select: { id: true } })
  if (halt !== null) throw new Halted()
  for (const { attempt } of stored) {
    if (attempt.spending !== undefined && (await isOverBudget(tx, attempt.spending))) throw new OverBudget()
  }
  await tx.$executeRawUnsafe(INSERT_ATTEMPTS, JSON.stringify(stored.map(rowOf)))
  return some.map((one) => ({ stored: stored.includes(one) ? preparedOf(one) : null }))
}

const rowOf = ({ lease, attempt: { lifetime, spending, message, ...attempt } }: Prepared) => ({
  ...attempt,
  blockhash: lifetime.blockhash,
  lastValidBlockHeight: lifetime.lastValidBlockHeight.toString(),
  message: Buffer.from(message).toString('base64'),
  fence: lease.fence.toString(),
  spendCost: spending?.cost.toString() ?? null,
})

const preparedOf = ({ attempt: { spending: _, ...attempt } }: Prepared): Attempt => ({
  ...attempt,
  state: 'prepared',
  wire: null,
  signature: null,
  sentAt: null,
})

const RECORD_SIGNED = `
UPDATE transfer_attempts attempt SET state = 'signed', wire = given.wire, signature = given.signature
FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bytea[], $5::text[]) AS given(id, transfer_id, fence, wire, signature)
JOIN transfers transfer ON transfer.id = given.transfer_id AND transfer.fence = given.fence AND transfer.status = 'in_progress'
WHERE attempt.id = given.id AND attempt.transfer_id = transfer.id AND attempt.state = 'prepared'
RETURNING attempt.id`

const recordSigned = (db: Database, some: readonly Signed[]): Promise<readonly boolean[]> =>
  recordAll(db, RECORD_SIGNED, some, [some.map(({ wire }) => wire), some.map(({ signature }) => signature)])

const RECORD_STATES = `
UPDATE transfer_attempts attempt SET state = given.state::attempt_state, error = coalesce(given.error, attempt.error),
  sent_at = CASE WHEN given.state = 'sent' THEN given.at ELSE attempt.sent_at END,
  resolved_at = CASE WHEN given.state = 'dead' THEN given.at ELSE attempt.resolved_at END
FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::timestamptz[], $6::text[])
  AS given(id, transfer_id, fence, state, at, error)
JOIN transfers transfer ON transfer.id = given.transfer_id AND transfer.fence = given.fence AND transfer.status = 'in_progress'
WHERE attempt.id = given.id AND attempt.transfer_id = transfer.id AND attempt.state IN ${LIVE_ATTEMPTS}
RETURNING attempt.id`

const recordStates = (db: Database, some: readonly Recorded[]): Promise<readonly boolean[]> =>
  recordAll(db, RECORD_STATES, some, [
    some.map(({ state }) => state),
    some.map(({ details }) => details.now),
    some.map(({ details }) => details.error ?? null),
  ])

/** Returns for each whether it was recorded: not when its lease is lost, its transfer has ended, or its attempt is in another state. */
async function recordAll(
  db: Database,
  statement: string,
  some: readonly { readonly lease: Lease; readonly id: string }[],
  columns: readonly (readonly Parameter[])[],
): Promise<readonly boolean[]> {
  const rows = await db.query<{ id: string }>(statement, [
    some.map(({ id }) => id),
    some.map(({ lease }) => lease.transferId),
    some.map(({ lease }) => lease.fence),
    ...columns,
  ])
  const recorded = new Set(rows.map(({ id }) => id))
  return some.map(({ id }) => recorded.has(id))
}
