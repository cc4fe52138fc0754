// The store of transfers under leases, put together from the queue, the attempts, the budget and the outcomes.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { Lease } from '#core/transfers/transfer.ts'
import type { BookedBalance, KnownTransaction, TransferStore } from '#ports/transfers.ts'
import { attemptFromRow, createAttemptStore } from './attempts.ts'
import { claimPayoutCreation } from './payout-creations.ts'
import { writeLedger } from './records.ts'
import { readCostlySubjects, readSpend } from './spend.ts'
import { LIVE, leasedBy, transferFromRow } from './transfer-rows.ts'

// The queue of transfers that are due. A claim gives a lease with a new fence.

// The subquery is an array: a plan that joins it may run it more than once and claim more than the limit.
const CLAIM = `
  UPDATE transfers SET fence = fence + 1, lease_until = $2, status = 'in_progress'
  WHERE id = ANY (ARRAY(
    SELECT due.id FROM unnest($4::text[], $5::int[]) AS queue(kind, most)
    CROSS JOIN LATERAL (
      SELECT id FROM transfers transfer
      WHERE network = $1::network_name AND transfer.kind = queue.kind AND status IN ('planned', 'in_progress')
        AND next_attempt_at <= $3 AND (lease_until IS NULL OR lease_until < $3)
      ORDER BY next_attempt_at LIMIT queue.most FOR UPDATE SKIP LOCKED) due))
  RETURNING id, fence`

type Due = Parameters<TransferStore['claim']>[1]

/** Implements `TransferStore.claim`. */
async function claimDue(db: Database, network: Network, { now, leaseMs, queues }: Due) {
  const leased = await db.query<{ id: string; fence: bigint }>(CLAIM, [
    network,
    new Date(now.getTime() + leaseMs),
    now,
    queues.map(({ kind }) => kind),
    queues.map(({ most }) => most),
  ])
  if (leased.length === 0) return []
  const rows = await db.prisma.transfer.findMany({
    where: { id: { in: leased.map(({ id }) => id) } },
    include: { legs: true, attempts: { where: { state: { in: LIVE } } } },
    orderBy: { createdAt: 'asc' },
  })
  const fences = new Map(leased.map(({ id, fence }) => [id, fence]))
  return rows.map(({ attempts: [live], ...row }) => ({
    transfer: transferFromRow(row),
    live: live === undefined ? null : attemptFromRow(live),
    lease: { transferId: row.id, fence: fences.get(row.id) ?? row.fence },
  }))
}

/** Implements `TransferStore.giveBack`. */
const giveBack = (db: Database, leases: readonly Lease[], nextAttemptAt: Date): Promise<void> =>
  endLeases(db, leases, nextAttemptAt, null, null)

/** Implements `TransferStore.postpone`. */
const postpone = (
  db: Database,
  leases: readonly Lease[],
  reason: string,
  nextAttemptAt: Date,
  budgetWaitCost: Lamports | null = null,
): Promise<void> => endLeases(db, leases, nextAttemptAt, reason, budgetWaitCost)

const END_LEASES = `
  UPDATE transfers SET lease_until = NULL, next_attempt_at = $3, reason = COALESCE($4, reason), budget_wait_cost = $5
  FROM unnest($1::uuid[], $2::bigint[]) AS lease(id, fence)
  WHERE transfers.id = lease.id AND transfers.fence = lease.fence AND transfers.status = 'in_progress'`

async function endLeases(
  db: Database,
  leases: readonly Lease[],
  nextAttemptAt: Date,
  reason: string | null,
  budgetWaitCost: Lamports | null,
) {
  if (leases.length === 0) return
  const ids = leases.map(({ transferId }) => transferId)
  const fences = leases.map(({ fence }) => fence.toString())
  await db.query(END_LEASES, [ids, fences, nextAttemptAt, reason, budgetWaitCost?.toString() ?? null])
}

/** Implements `TransferStore.hold`. */
async function hold(db: Database, lease: Lease, reason: string): Promise<boolean> {
  const { count } = await db.prisma.transfer.updateMany({
    where: leasedBy(lease),
    data: { status: 'held', reason, leaseUntil: null },
  })
  return count > 0
}

// The end of a transfer whose subject has no state of its own.

type Outcome = Parameters<TransferStore['finish']>[1]

/** Implements `TransferStore.finish`. */
const finish = (db: Database, lease: Lease, outcome: Outcome): Promise<boolean> =>
  db.prisma.$transaction((tx) => finishTransfer(tx, lease, outcome))

/** Ends a transfer and its attempt within the transaction of its subject. Returns false when the lease is lost. */
export async function finishTransfer(
  tx: Tx,
  lease: Lease,
  { attemptId, attemptState, status, reason, signature, slot, at, ledger }: Outcome,
): Promise<boolean> {
  const { count } = await tx.transfer.updateMany({
    where: leasedBy(lease),
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

export const createTransferStore = (db: Database): TransferStore => ({
  ...createAttemptStore(db),
  claim: (...args) => claimDue(db, ...args),
  giveBack: (...args) => giveBack(db, ...args),
  postpone: (...args) => postpone(db, ...args),
  hold: (...args) => hold(db, ...args),
  finish: (...args) => finish(db, ...args),
  claimPayoutCreation: (...args) => claimPayoutCreation(db, ...args),
  spendOf: (spender) => readSpend(db.prisma, spender),
  costlySubjects: (...args) => readCostlySubjects(db.prisma, ...args),
  haltsOn: (sources) => readHalts(db, sources),
  booked: (accounts) => readBooked(db, accounts),
  bookedOf: (...args) => readBookedOf(db, ...args),
  knownTransactions: (transferIds) => readKnownTransactions(db, transferIds),
})

async function readHalts(db: Database, sources: readonly Address[]): Promise<ReadonlyMap<Address, string>> {
  const halts = await db.prisma.halt.findMany({
    where: { address: { in: [...sources] }, clearedAt: null },
    select: { address: true, reason: true },
  })
  return new Map(halts.map(({ address, reason }) => [makeAddress(address), reason]))
}

const BOOKED = `SELECT transfer.id, sum(entry.delta)::text AS amount, min(entry.slot) AS since
     FROM unnest($1::uuid[], $2::text[]) AS given(id, account)
     JOIN transfers transfer ON transfer.id = given.id
     JOIN ledger_entries entry ON entry.address = transfer.source AND entry.asset = transfer.asset
       AND entry.account = given.account AND entry.network = transfer.network
     WHERE NOT EXISTS (SELECT FROM halts WHERE address = transfer.source AND cleared_by = 'operator')
     GROUP BY transfer.id`

async function readBooked(
  db: Database,
  accounts: ReadonlyMap<string, Address>,
): Promise<ReadonlyMap<string, BookedBalance>> {
  type Row = { id: string; amount: string; since: bigint }
  const rows = await db.query<Row>(BOOKED, [[...accounts.keys()], [...accounts.values()]])
  return new Map(rows.map(({ id, amount, since }) => [id, { amount: BigInt(amount), since }]))
}

async function readBookedOf(
  db: Database,
  account: Address,
  signatures: readonly Signature[],
): Promise<ReadonlySet<Signature>> {
  if (signatures.length === 0) return new Set()
  const entries = await db.prisma.ledgerEntry.findMany({
    where: { account, signature: { in: [...signatures] } },
    select: { signature: true },
  })
  return new Set(entries.map(({ signature }) => makeSignature(signature)))
}

const KNOWN_TRANSACTIONS = `SELECT transfer.id, known.signature, known.slot, known.created_at AS at
     FROM transfers transfer CROSS JOIN LATERAL (
       SELECT signature, slot, created_at FROM ledger_entries WHERE network = transfer.network ORDER BY slot DESC LIMIT 1
     ) known
     WHERE transfer.id = ANY ($1::uuid[])`

async function readKnownTransactions(
  db: Database,
  transferIds: readonly string[],
): Promise<ReadonlyMap<string, KnownTransaction>> {
  type Row = { id: string; signature: string; slot: bigint; at: Date }
  const rows = await db.query<Row>(KNOWN_TRANSACTIONS, [transferIds])
  return new Map(rows.map(({ id, signature, ...known }) => [id, { ...known, signature: makeSignature(signature) }]))
}
