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
/** One payment, or one change of `payments` payments, as a row of the rollups. */
const countedBy = (payments: string, status: string): string =>
  INTENT_STATUSES.map((one) => `CASE WHEN ${status} = '${one}' THEN ${payments} ELSE 0 END AS ${one}`).join(', ')

/**
 * Each sum as the letter of its column and its digits. Most columns of a row are zero: to add zeros up, to write and to read them
 * is costly too, so they are left out.
 */
const SUMS = SUMMED.map((column, at) => `'${letterOf(at)}' || sum(${column}) FILTER (WHERE ${column} <> 0)`).join(', ')

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
  concat_ws(' ', ${SUMS}) AS sums
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
      const figures = ranges.map((): Figures[] => [])
      for (const row of rows) figures[row.place]?.push(figuresFromRow(row))
      return figures
    },
  }
}

/** Returns the letter that stands for a column in `sums`. */
function letterOf(at: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + at)
}

const LETTERS: ReadonlyMap<string, string> = new Map(SUMMED.map((column, at) => [letterOf(at), column]))

/** A count is read as a number: to read hundreds of rows of them as bigint took longer than the rest of the request. */
function figuresFromRow({ asset, sums }: FiguresRow): Figures {
  const digits = new Map<string | undefined, string>()
  if (sums !== '') for (const sum of sums.split(' ')) digits.set(LETTERS.get(sum.charAt(0)), sum.slice(1))
  const of = (column: (typeof SUMMED)[number]) => digits.get(column)
  return {
    asset: asset === '' ? null : makeAsset(asset),
    counts: countsOf((status) => Number(of(status) ?? 0)),
    volume: BigInt(of('volume') ?? 0),
    feeRevenue: BigInt(of('fee_revenue') ?? 0),
    volumeMicrocents: BigInt(of('volume_microcents') ?? 0),
    feeMicrocents: BigInt(of('fee_microcents') ?? 0),
  }
}
