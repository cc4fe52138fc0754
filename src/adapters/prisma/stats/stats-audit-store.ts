// Compares the rollups with the records: payments for the counts, the legs that moved for the amounts. One statement reads
// both, so a payment that changes meanwhile is no difference.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { ENDED_STATUSES } from '#core/stats/stats.ts'
import type { StatsAuditStore, StatsScope } from '#ports/stats.ts'
import { AMOUNT_NAMES, COLUMN_NAMES, COLUMNS, countedBy, HAS_FIGURES, SPAN_VALUES, spanStart } from './rollup-store.ts'

/** The spans of a day are compared together, a longer span by itself. */
const firstDay = (at: string) => spanStart('greatest(seconds, 86400)', at)
const SUMS = COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ')

/** Reads each end by an index: a payment of a business itself has its account as the caller. */
const SCOPES = `
SELECT account.id, first.at AS since, last.at AS until
FROM accounts account
CROSS JOIN LATERAL (SELECT least(
  (SELECT min(created_at) FROM payment_intents WHERE caller_account_id = account.id),
  (SELECT min(created_at) FROM payment_intents WHERE account_id = account.id AND marketplace_fee_bps IS NOT NULL),
  (SELECT min(created_at) FROM charges WHERE account_id = account.id),
  (SELECT min(start) FROM stats_rollups WHERE account_id = account.id)) AS at) first
CROSS JOIN LATERAL (SELECT greatest(
  (SELECT max(created_at) FROM payment_intents WHERE caller_account_id = account.id),
  (SELECT max(created_at) FROM payment_intents WHERE account_id = account.id AND marketplace_fee_bps IS NOT NULL),
  (SELECT max(created_at) FROM charges WHERE account_id = account.id),
  (SELECT max(start) FROM stats_rollups WHERE account_id = account.id)) AS at) last
WHERE account.network = $1::network_name AND account.id > $2::uuid
ORDER BY account.id LIMIT $3`

const ENDED = `status IN (${ENDED_STATUSES.map((status) => `'${status}'`).join(', ')}) AND created_at >= $2 AND created_at < $3`

// A mint that takes a transfer fee makes less arrive than was sent; the difference is volume too, as in the settlement.
const DIFFERENCES = `
WITH payment AS (
  SELECT 'payee'::stats_scope AS scope, * FROM payment_intents
  WHERE caller_account_id = $1 AND account_id = $1 AND ${ENDED}
  UNION ALL
  SELECT 'payee', * FROM payment_intents
  WHERE account_id = $1 AND account_id <> caller_account_id AND marketplace_fee_bps IS NOT NULL AND ${ENDED}
  UNION ALL
  SELECT 'marketplace', * FROM payment_intents
  WHERE caller_account_id = $1 AND account_id <> caller_account_id AND ${ENDED}
), moved AS (
  SELECT transfer.intent_id, max(transfer.asset) AS asset,
    sum(leg.amount) - coalesce(sum(leg.moved_amount) FILTER (WHERE leg.role = 'refund'), 0) AS volume,
    coalesce(sum(leg.moved_amount) FILTER (WHERE leg.role IN ('merchant', 'seller')), 0) AS net,
    coalesce(sum(leg.moved_amount) FILTER (WHERE leg.role = 'marketplace'), 0) AS fee_revenue
  FROM payment
  JOIN transfers transfer ON transfer.intent_id = payment.id AND transfer.kind = 'sweep' AND transfer.status = 'done'
  JOIN transfer_legs leg ON leg.transfer_id = transfer.id
  GROUP BY 1
), recounted AS (
  SELECT scope, created_at AS at, coalesce(moved.asset, '') AS asset, ${countedBy('1', 'status')},
    coalesce(volume, 0) AS volume, coalesce(net, 0) AS net, coalesce(fee_revenue, 0) AS fee_revenue,
    coalesce(div(volume * price_usd_cents * 1000000, nullif(expected_amount, 0)), 0) AS volume_microcents,
    coalesce(div(net * price_usd_cents * 1000000, nullif(expected_amount, 0)), 0) AS net_microcents,
    coalesce(div(fee_revenue * price_usd_cents * 1000000, nullif(expected_amount, 0)), 0) AS fee_microcents
  FROM payment LEFT JOIN moved ON moved.intent_id = payment.id
  UNION ALL
  SELECT 'charges', created_at, asset, ${countedBy('1', "'swept'")}, ${AMOUNT_NAMES}
  FROM charges charge CROSS JOIN LATERAL stats_of_charge(charge)
  WHERE account_id = $1 AND status = 'succeeded' AND created_at >= $2 AND created_at < $3
), span AS (
  SELECT * FROM (${SPAN_VALUES}) AS span(seconds)
), figure AS (
  SELECT scope, span AS seconds, start AS at, asset, ${COLUMN_NAMES} FROM stats_rollups
  WHERE account_id = $1 AND start >= $2 AND start < $3
  UNION ALL
  SELECT scope, seconds, quarter, asset, ${countedBy('payments', 'status')}, ${AMOUNT_NAMES} FROM stats_deltas, span
  WHERE account_id = $1 AND quarter >= $2 AND quarter < $3
  UNION ALL
  SELECT scope, seconds, at, asset, ${COLUMNS.map((column) => `-${column}`).join(', ')} FROM recounted, span
)
SELECT scope::text, seconds AS span, day, asset, jsonb_strip_nulls(jsonb_build_object(
  ${COLUMNS.map((column) => `'${column}', nullif(${column}, 0)::text`).join(', ')})) AS differences
FROM (SELECT scope, seconds, ${firstDay('at')} AS day, asset, ${SUMS} FROM figure GROUP BY 1, 2, 3, 4) summed
WHERE ${HAS_FIGURES}
ORDER BY day, span, scope, asset LIMIT $4`

type ScopeRow = { readonly id: string; readonly since: Date | null; readonly until: Date | null }
type DifferenceRow = {
  readonly scope: StatsScope
  readonly span: number
  readonly day: Date
  readonly asset: string
  readonly differences: Readonly<Record<string, string>>
}

export function createStatsAuditStore(db: Pick<Database, 'query'>): StatsAuditStore {
  return {
    async scopes(network, { after, limit }) {
      const rows = await db.query<ScopeRow>(SCOPES, [network, after, limit])
      return rows.map(({ id, since, until }) => ({ accountId: id, period: since && until && { since, until } }))
    },

    async differences(accountId, { from, to }, limit) {
      const rows = await db.query<DifferenceRow>(DIFFERENCES, [accountId, from, to, limit])
      return rows.map((row) => ({ ...row, accountId }))
    },
  }
}
