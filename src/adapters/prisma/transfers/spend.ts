// The amounts that transfers of a kind have cost the fee payer, and the budget that limits them.
import { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { Lamports } from '#core/money/amounts.ts'
import { type CostlySubjects, limitReached, type Spend, type Spender, type Spending } from '#core/transfers/budget.ts'
import { LIVE_ATTEMPTS } from './transfer-rows.ts'

/** Locks the budget of the kind until the transaction ends, so that each attempt counts every earlier attempt. */
export async function isOverBudget(tx: Tx, { cost, budget, ...spender }: Spending): Promise<boolean> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`budget of ${spender.kind} on ${spender.network}`}, 0))`
  return limitReached(budget, await readSpend(tx, spender), cost) !== null
}

const HOUR_MS = 3_600_000
/** Subjects whose costs are compared. */
const MAX_COMPARED = 1_000
/** The oldest transfers that wait for the budget and count. */
const MAX_WAITING = 1_000

/** Selects the entries of the fee payer for final transfers of a kind, with the fees of failed transactions. */
const isOfKind = ({ feePayer, kind }: Pick<Spender, 'feePayer' | 'kind'>): Prisma.Sql =>
  Prisma.sql`entry.address = ${feePayer} AND entry.asset = 'SOL' AND (entry.kind = ${kind} OR (
    entry.kind = 'fee' AND EXISTS (SELECT FROM transfers WHERE id = entry.transfer_id AND kind = ${kind})))`

/**
 * Returns the costs in lamports. A transfer that waits for the budget keeps its place: the cost of those that were planned
 * before it is reserved for them. The sums are one statement and one snapshot, so an attempt that is booked at the same
 * time is counted once, as live or in the ledger. The ledger has the fees of failed transactions, of every kind.
 */
export async function readSpend(
  tx: Pick<Tx, '$queryRaw'>,
  { network, kind, feePayer, subjectId, before, now }: Spender,
): Promise<Spend> {
  const [hourAgo, dayAgo] = [HOUR_MS, 24 * HOUR_MS].map((ms) => new Date(now.getTime() - ms))
  const isCounted = isOfKind({ feePayer, kind })
  const [row] = await tx.$queryRaw<{ subject: string; hour: string; day: string; live: string; waiting: string }[]>`
    WITH spent AS (
      SELECT greatest(-entry.delta, 0) AS cost, entry.created_at AS at FROM ledger_entries entry
      WHERE ${isCounted} AND entry.kind NOT IN ('deposit', 'sweep') AND entry.created_at > ${dayAgo}
    )
    SELECT coalesce(sum(cost), 0)::text AS day,
      coalesce(sum(cost) FILTER (WHERE at > ${hourAgo}), 0)::text AS hour,
      (SELECT coalesce(sum(greatest(-entry.delta, 0)), 0)::text FROM ledger_entries entry
        WHERE entry.subject_id = ${subjectId}::uuid AND ${isCounted}) AS subject,
      (SELECT coalesce(sum(attempt.spend_cost), 0)::text
        FROM transfer_attempts attempt JOIN transfers transfer ON transfer.id = attempt.transfer_id
        WHERE attempt.state IN ${Prisma.raw(LIVE_ATTEMPTS)}
          AND attempt.spend_cost IS NOT NULL AND transfer.network = ${network}::network_name
          AND transfer.kind = ${kind}) AS live,
      (SELECT coalesce(sum(cost), 0)::text FROM (
        SELECT budget_wait_cost AS cost FROM transfers
        WHERE budget_wait_cost IS NOT NULL AND status IN ('planned', 'in_progress')
          AND network = ${network}::network_name AND kind = ${kind} AND created_at < ${before}::timestamptz
        ORDER BY created_at LIMIT ${MAX_WAITING}) earlier) AS waiting
    FROM spent`
  if (row === undefined) throw new Error('sums are always one row')
  const more = BigInt(row.live) + BigInt(row.waiting)
  return { ofSubject: BigInt(row.subject), lastHour: BigInt(row.hour) + more, lastDay: BigInt(row.day) + more }
}

export async function readCostlySubjects(
  tx: Pick<Tx, '$queryRaw'>,
  { now, ...spender }: Omit<Spender, 'subjectId' | 'before'>,
  least: Lamports,
): Promise<CostlySubjects | null> {
  const isCounted = isOfKind(spender)
  const [row] = await tx.$queryRaw<{ id: string; cost: string; count: number }[]>`
    WITH recent AS (
      SELECT entry.subject_id AS id FROM ledger_entries entry
      WHERE ${isCounted} AND entry.kind NOT IN ('deposit', 'sweep') AND entry.subject_id IS NOT NULL
        AND entry.created_at > ${new Date(now.getTime() - 24 * HOUR_MS)}
      GROUP BY entry.subject_id ORDER BY sum(greatest(-entry.delta, 0)) DESC LIMIT ${MAX_COMPARED}
    ), total AS (
      SELECT recent.id, (SELECT sum(greatest(-entry.delta, 0)) FROM ledger_entries entry
        WHERE entry.subject_id = recent.id AND ${isCounted}) AS cost
      FROM recent
    )
    SELECT id, cost::text, (count(*) OVER ())::integer AS count FROM total
    WHERE cost >= ${least} ORDER BY total.cost DESC, id LIMIT 1`
  return row === undefined ? null : { count: row.count, first: { id: row.id, cost: BigInt(row.cost) } }
}
