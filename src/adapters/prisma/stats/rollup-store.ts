// Adds changes to the rollups and deletes them, in one statement. Instances may do it at the same time: each takes changes
// that no other one has locked, and all of them lock rollups in the same order.

import type { Database } from '#adapters/prisma/engine/engine.ts'
import { ROLLUP_SPANS } from '#core/stats/rollup.ts'
import { ENDED_STATUSES } from '#core/stats/stats.ts'
import type { StatsRollupStore } from '#ports/stats.ts'

// The columns of figures, in the rollups and in every statement that adds figures up.

export const AMOUNTS = [
  'volume',
  'net',
  'fee_revenue',
  'volume_microcents',
  'net_microcents',
  'fee_microcents',
] as const
export const AMOUNT_NAMES = AMOUNTS.join(', ')

/** A count of payments for each status, and the amounts. */
export const COLUMNS = [...ENDED_STATUSES, ...AMOUNTS] as const
export const COLUMN_NAMES = COLUMNS.join(', ')

/** The condition on a row: one of its figures is not zero. */
export const HAS_FIGURES = `(${COLUMN_NAMES}) IS DISTINCT FROM (${COLUMNS.map(() => '0').join(', ')})`

/** The spans of the rollups in seconds, as rows. */
export const SPAN_VALUES = `VALUES ${ROLLUP_SPANS.map((seconds) => `(${seconds})`).join(', ')}`

/** Returns the begin of the span of so many seconds that a time is in. */
export const spanStart = (seconds: string, at: string): string =>
  `date_bin(make_interval(secs => ${seconds}), ${at}, '1970-01-01T00:00:00Z')`

/** Returns the counts of one payment, or of one change of `payments` payments, as a row of the rollups has them. */
export const countedBy = (payments: string, status: string): string =>
  ENDED_STATUSES.map((one) => `CASE WHEN ${status} = '${one}' THEN ${payments} ELSE 0 END AS ${one}`).join(', ')

const COMPACT = `
WITH taken AS (
  DELETE FROM stats_deltas WHERE id IN (SELECT id FROM stats_deltas ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING *
), summed AS (
  SELECT account_id, scope, span.seconds AS span,
    ${spanStart('span.seconds', 'quarter')} AS start, asset,
    ${ENDED_STATUSES.map((status) => `coalesce(sum(payments) FILTER (WHERE status = '${status}'), 0) AS ${status}`).join(', ')},
    ${AMOUNTS.map((amount) => `sum(${amount}) AS ${amount}`).join(', ')}
  FROM taken
  CROSS JOIN (${SPAN_VALUES}) AS span(seconds)
  GROUP BY 1, 2, 3, 4, 5
), added AS (
  INSERT INTO stats_rollups (account_id, scope, span, start, asset, ${COLUMN_NAMES})
  SELECT account_id, scope, span, start, asset, ${COLUMN_NAMES} FROM summed
  WHERE ${HAS_FIGURES}
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (account_id, scope, span, start, asset) DO UPDATE SET
    ${COLUMNS.map((column) => `${column} = stats_rollups.${column} + excluded.${column}`).join(', ')}
)
SELECT count(*)::int AS count FROM taken`

export function createStatsRollupStore(db: Pick<Database, 'query'>): StatsRollupStore {
  return {
    async compact(limit) {
      const [row] = await db.query<{ count: number }>(COMPACT, [limit])
      return row?.count ?? 0
    },
  }
}
