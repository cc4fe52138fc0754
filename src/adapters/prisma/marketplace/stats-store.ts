// The figures of marketplaces: rollups for whole spans of time, changes that are not in them yet, and the payments themselves
// at the edges of a range. One statement reads all three, so a change counts once, whether or not it was compacted.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { makeAsset } from '#core/chain/base58.ts'
import { type Cover, coverOf, type Run } from '#core/marketplace/rollup.ts'
import { countsOf, type Figures, negativeOf, sumOf } from '#core/marketplace/stats.ts'
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
const textOf = (sum: (column: string) => string): string =>
  `concat_ws(' ', ${SUMMED.map((column, at) => `'${letterOf(at)}' || ${sum(column)}`).join(', ')})`
const ADDED_UP = textOf((column) => `sum(${column}) FILTER (WHERE ${column} <> 0)`)
const AS_IT_IS = textOf((column) => `nullif(${column}, 0)`)

/** More rows than a run has. */
const NO_LIMIT = 2_147_483_647

const placeIn = (bounds: string): string => `width_bucket(date_part('epoch', at), (SELECT ${bounds} FROM bound)) - 1`
const PLACE_OF_ROLLED_UP = `coalesce(shift, ${placeIn('divided')}) AS place`
const PLACE_OF_RECENT = `${placeIn('asked')} AS place`

/** Rows of several spans belong to one range, and PostgreSQL adds them up. */
const TOGETHER = `
  SELECT place, asset, ${ADDED_UP} AS sums FROM (
    SELECT ${PLACE_OF_ROLLED_UP}, asset, ${SUMMED.join(', ')} FROM rolled_up
    UNION ALL
    SELECT ${PLACE_OF_RECENT}, asset, ${SUMMED.join(', ')} FROM recent
  ) figure
  GROUP BY 1, 2`

/** Most ranges have one row for each asset. To group those takes as long as all else. */
const APART = `
  SELECT ${PLACE_OF_ROLLED_UP}, asset, ${AS_IT_IS} AS sums FROM rolled_up
  UNION ALL
  SELECT ${PLACE_OF_RECENT}, asset, ${ADDED_UP} AS sums FROM recent GROUP BY 1, 2`

/** One text with a line for each range and asset, which is sent and read faster than so many rows and columns. */
const asLines = (found: string): string =>
  `SELECT string_agg(concat_ws(' ', place, asset, nullif(sums, '')), E'\\n') AS lines FROM (${found}\n) found`

/**
 * `OFFSET 0` or `LIMIT` keeps each run apart: the planner does not join all runs with all rows. `ORDER BY` and a limit that the
 * planner cannot see make it a plain scan of the index: it expects to read a tenth of the rows. Otherwise it gathers the rows of
 * each run in a bitmap and sorts them, once there are many rows in the table.
 */
const statementsOf = (scope: { readonly delta: string; readonly payment: string }) => {
  const found = `
WITH run AS MATERIALIZED (
  SELECT span, to_timestamp(lo) AS lo, to_timestamp(hi) AS hi, shift
  FROM unnest($2::int[], $3::float8[], $4::float8[], $5::int[]) AS run(span, lo, hi, shift)
), bound AS MATERIALIZED (
  SELECT $6::float8[] AS asked, $7::float8[] AS divided
), split AS MATERIALIZED (
  SELECT DISTINCT stats_quarter(lo) AS quarter FROM run WHERE span = 0
), rolled_up AS (
  SELECT run.shift, found.* FROM run CROSS JOIN LATERAL (
    SELECT start AS at, asset, ${SUMMED.join(', ')} FROM stats_rollups
    WHERE account_id = $1 AND span = run.span AND start >= run.lo AND start < run.hi
    ORDER BY start LIMIT (SELECT ${NO_LIMIT})
  ) found
  WHERE run.span > 0
), recent AS (
  SELECT quarter AS at, asset, ${countedBy('payments', 'status')}, ${AMOUNTS.join(', ')} FROM stats_deltas
  WHERE ${scope.delta} = $1 AND quarter >= $8 AND quarter < $9 AND quarter NOT IN (SELECT quarter FROM split)
  UNION ALL
  SELECT found.* FROM run CROSS JOIN LATERAL (
    SELECT payment.created_at, present.asset, ${countedBy('1', 'payment.status')}, ${AMOUNTS.join(', ')}
    FROM payment_intents payment CROSS JOIN LATERAL stats_of_payment(payment) present
    WHERE ${scope.payment} AND payment.created_at >= run.lo AND payment.created_at < run.hi
    OFFSET 0
  ) found
  WHERE run.span = 0
)
`
  return { together: found + asLines(TOGETHER), apart: found + asLines(APART) }
}

const OF_MARKETPLACE = statementsOf({
  delta: 'marketplace_account_id',
  payment: 'payment.caller_account_id = $1 AND payment.account_id <> payment.caller_account_id',
})
const OF_SELLER = statementsOf({
  delta: 'seller_account_id',
  payment: 'payment.account_id = $1 AND payment.account_id <> payment.caller_account_id',
})

/** Up to so many spans of rollups for each range are added up here, which is faster than to group them. */
const FEW_SPANS = 2

export function createMarketplaceStatsStore(db: Pick<Database, 'query'>): MarketplaceStatsStore {
  return {
    async figures(marketplace, { sellerId, ranges }) {
      const first = ranges[0]
      const last = ranges.at(-1)
      if (first === undefined || last === undefined) return []
      const asked = [...ranges.map(({ from }) => from), last.to].map((bound) => bound.getTime())
      const cover = coverOf(asked)
      const runs = placed(cover, ranges.length)
      const { together, apart } = sellerId === null ? OF_MARKETPLACE : OF_SELLER
      const [row] = await db.query<{ lines: string | null }>(
        spansOf(runs) > FEW_SPANS * ranges.length ? together : apart,
        [
          sellerId ?? marketplace.accountId,
          runs.map(({ span }) => span),
          runs.map(({ from }) => secondsOf(from)),
          runs.map(({ to }) => secondsOf(to)),
          runs.map(({ shift }) => shift),
          asked.slice(0, -1).map(secondsOf),
          cover.bounds.slice(0, -1).map(secondsOf),
          first.from,
          last.to,
        ],
      )
      const figures = ranges.map((): Figures[] => [])
      for (const line of row?.lines?.split('\n') ?? []) {
        const [text, asset = '', ...sums] = line.split(' ')
        const place = Number(text)
        const counted = figuresOf(asset, sums)
        const shift = cover.shifts[place - ranges.length]
        add(counted, figures[shift?.to ?? place])
        if (shift !== undefined) add(negativeOf(counted), figures[shift.from])
      }
      return figures
    },
  }
}

/** The rows of a shift have a place of their own, after those of the ranges. The others have the place of their time. */
function placed({ runs, shifts }: Cover, ranges: number): readonly (Run & { readonly shift: number | null })[] {
  const shifted = shifts.flatMap((shift, at) => shift.runs.map((run) => ({ ...run, shift: ranges + at })))
  return [...runs.map((run) => ({ ...run, shift: null })), ...shifted]
}

/** How many spans of the rollups are in the runs: an asset has at most a row in each. */
const spansOf = (runs: readonly Run[]): number =>
  runs.reduce((spans, { span, from, to }) => (span === 0 ? spans : spans + (to - from) / (span * 1_000)), 0)

/** PostgreSQL reads numbers faster than dates, and compares them faster. */
const secondsOf = (ms: number): number => ms / 1_000

/** Keeps one element for each asset. */
function add(figures: Figures, range: Figures[] | undefined): void {
  if (range === undefined) return
  const at = range.findIndex(({ asset }) => asset === figures.asset)
  const known = range[at]
  if (known === undefined) range.push(figures)
  else range[at] = sumOf(known, figures)
}

/** Returns the letter that stands for a column. */
function letterOf(at: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + at)
}

const FIRST_LETTER = letterOf(0).charCodeAt(0)
const NO_COUNTS = countsOf(() => 0)

/** A count is read as a number: to read hundreds of rows of them as bigint took longer than the rest of the request. */
function figuresOf(asset: string, sums: readonly string[]): Figures {
  const counts = { ...NO_COUNTS }
  const amounts = AMOUNTS.map(() => 0n)
  for (const sum of sums) {
    const at = sum.charCodeAt(0) - FIRST_LETTER
    const status = INTENT_STATUSES[at]
    if (status === undefined) amounts[at - INTENT_STATUSES.length] = BigInt(sum.slice(1))
    else counts[status] = Number(sum.slice(1))
  }
  const [volume = 0n, feeRevenue = 0n, volumeMicrocents = 0n, feeMicrocents = 0n] = amounts
  return { asset: asset === '' ? null : makeAsset(asset), counts, volume, feeRevenue, volumeMicrocents, feeMicrocents }
}
