// The figures of marketplaces: rollups for whole spans of time, changes that are not in them yet, and the payments themselves
// at the edges of a range. One statement reads all three, so a change counts once, whether or not it was compacted.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { makeAsset } from '#core/chain/base58.ts'
import { coverOf } from '#core/marketplace/rollup.ts'
import { countsOf, type Figures } from '#core/marketplace/stats.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import type { MarketplaceStatsStore } from '#ports/marketplace-stats.ts'

const AMOUNTS = ['volume', 'fee_revenue', 'volume_microcents', 'fee_microcents'] as const
const SUMMED = [...INTENT_STATUSES, ...AMOUNTS] as const
const PLACES: ReadonlyMap<string, number> = new Map(SUMMED.map((column, place) => [column, place]))

/** One payment, or one change of `payments` payments, as a row of the rollups. */
const countedBy = (payments: string, status: string): string =>
  INTENT_STATUSES.map((one) => `CASE WHEN ${status} = '${one}' THEN ${payments} ELSE 0 END AS ${one}`).join(', ')

/** Most columns of a row are zero. To add zeros up and to write them is costly too, so such a sum is an empty text. */
const SUMS = SUMMED.map((column) => `sum(${column}) FILTER (WHERE ${column} <> 0)`).join(', ')
const SUMS_FORMAT = SUMMED.map(() => '%s').join(' ')

/**
 * `OFFSET 0` keeps each run apart: the planner does not join all runs with all rows. `ORDER BY` makes it a plain scan of the
 * index. The sums of a row are one text, which is read faster than so many columns.
 */
const figuresOf = (scope: { readonly delta: string; readonly payment: string }): string => `
WITH run AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS run(span int, lo timestamptz, hi timestamptz)
), bound AS MATERIALIZED (
  SELECT array_agg(value::timestamptz ORDER BY value::timestamptz) AS starts FROM jsonb_array_elements_text($3::jsonb)
), split AS MATERIALIZED (
  SELECT DISTINCT stats_quarter(lo) AS quarter FROM run WHERE span = 0
), figure AS (
  SELECT found.* FROM run CROSS JOIN LATERAL (
    SELECT start AS at, asset, ${SUMMED.join(', ')} FROM stats_rollups
    WHERE account_id = $1 AND span = run.span AND start >= run.lo AND start < run.hi
    ORDER BY start OFFSET 0
  ) found
  WHERE run.span > 0
  UNION ALL
  SELECT quarter, asset, ${countedBy('payments', 'status')}, ${AMOUNTS.join(', ')} FROM stats_deltas
  WHERE ${scope.delta} = $1 AND quarter >= $4 AND quarter < $5 AND quarter NOT IN (SELECT quarter FROM split)
  UNION ALL
  SELECT found.* FROM run CROSS JOIN LATERAL (
    SELECT payment.created_at, present.asset, ${countedBy('1', 'payment.status')}, ${AMOUNTS.join(', ')}
    FROM payment_intents payment CROSS JOIN LATERAL stats_of_payment(payment) present
    WHERE ${scope.payment} AND payment.created_at >= run.lo AND payment.created_at < run.hi
    OFFSET 0
  ) found
  WHERE run.span = 0
)
SELECT width_bucket(at, (SELECT starts FROM bound)) - 1 AS place, asset,
  format('${SUMS_FORMAT}', ${SUMS}) AS sums
FROM figure GROUP BY 1, 2`

const OF_MARKETPLACE = figuresOf({
  delta: 'marketplace_account_id',
  payment: 'payment.caller_account_id = $1 AND payment.account_id <> payment.caller_account_id',
})
const OF_SELLER = figuresOf({
  delta: 'seller_account_id',
  payment: 'payment.account_id = $1 AND payment.account_id <> payment.caller_account_id',
})

type FiguresRow = { readonly place: number; readonly asset: string; readonly sums: string }

export function createMarketplaceStatsStore(db: Pick<Database, 'query'>): MarketplaceStatsStore {
  return {
    async figures(marketplace, { sellerId, ranges }) {
      const first = ranges[0]
      const last = ranges.at(-1)
      if (first === undefined || last === undefined) return []
      const starts = ranges.map(({ from }) => from)
      const runs = coverOf([...starts, last.to].map((bound) => bound.getTime()))
      const rows = await db.query<FiguresRow>(sellerId === null ? OF_MARKETPLACE : OF_SELLER, [
        sellerId ?? marketplace.accountId,
        JSON.stringify(runs.map(({ span, from, to }) => ({ span, lo: new Date(from), hi: new Date(to) }))),
        JSON.stringify(starts),
        first.from,
        last.to,
      ])
      const byPlace = Map.groupBy(rows, ({ place }) => place)
      return ranges.map((_, place) => (byPlace.get(place) ?? []).map(figuresFromRow))
    },
  }
}

/** A count is read as a number: to read hundreds of rows of them as bigint took longer than the rest of the request. */
function figuresFromRow({ asset, sums }: FiguresRow): Figures {
  const values = sums.split(' ')
  const of = (column: (typeof SUMMED)[number]) => values[PLACES.get(column) ?? -1] ?? ''
  return {
    asset: asset === '' ? null : makeAsset(asset),
    counts: countsOf((status) => Number(of(status))),
    volume: BigInt(of('volume')),
    feeRevenue: BigInt(of('fee_revenue')),
    volumeMicrocents: BigInt(of('volume_microcents')),
    feeMicrocents: BigInt(of('fee_microcents')),
  }
}
