// The queue of transfers that are due. A claim gives a lease with a new fence.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Network } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { Lease } from '#core/transfers/transfer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { attemptFromRow } from './attempts.ts'
import { leasedBy } from './lease.ts'
import { LIVE } from './live-attempts.ts'
import { transferFromRow } from './transfer-rows.ts'

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
export async function claimDue(db: Database, network: Network, { now, leaseMs, queues }: Due) {
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
export const giveBack = (db: Database, leases: readonly Lease[], nextAttemptAt: Date): Promise<void> =>
  endLeases(db, leases, nextAttemptAt, null, null)

/** Implements `TransferStore.postpone`. */
export const postpone = (
  db: Database,
  leases: readonly Lease[],
  reason: string,
  nextAttemptAt: Date,
  budgetWaitCost: Lamports | null = null,
): Promise<void> => endLeases(db, leases, nextAttemptAt, reason, budgetWaitCost)

const END_LEASES = `
  UPDATE transfers SET lease_until = NULL, next_attempt_at = $3, reason = COALESCE($4, reason), budget_wait_cost = $5
  FROM unnest($1::uuid[], $2::bigint[]) AS lease(id, fence)
  WHERE transfers.id = lease.id AND transfers.fence = lease.fence`

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
export async function hold(db: Database, lease: Lease, reason: string): Promise<void> {
  await db.prisma.transfer.updateMany({
    where: leasedBy(lease),
    data: { status: 'held', reason, leaseUntil: null },
  })
}
