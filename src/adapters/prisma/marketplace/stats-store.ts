// The figures of marketplaces: rollups for whole spans of time, changes that are not in them yet, and the payments themselves
// at the edges of a range. One statement reads all three, so a change counts once, whether or not it was compacted.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { makeAsset } from '#core/chain/base58.ts'
import { type Cover, coverOf, type Run } from '#core/marketplace/rollup.ts'
import { countsOf, type Figures, negativeOf, sumOf } from '#core/marketplace/stats.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'
import type { MarketplaceStatsStore } from '#ports/marketplaces.ts'
import { AMOUNT_NAMES, AMOUNTS, COLUMN_NAMES, countedBy } from './rollup-store.ts'

/** The place of the range, the asset, the amounts and the counts. */
const FIELDS = 3 + AMOUNTS.length

/** Returns one text for a row. Most counts are zero, and are left out; each of the others follows the letter of its status. */
const textOf = (amount: (column: string) => string, count: (column: string) => string): string => {
  const counts = INTENT_STATUSES.map((status, at) => `'${letterOf(at)}' || ${count(status)}`)
  return `concat_ws(' ', place, asset, ${AMOUNTS.map(amount).join(', ')}, concat(${counts.join(', ')}))`
}
const AS_IT_IS = textOf(
  (column) => column,
  (column) => `nullif(${column}, 0)`,
)
const ADDED_UP = textOf(
  (column) => `sum(${column})`,
  (column) => `sum(${column}) FILTER (WHERE ${column} <> 0)`,
)

/** More rows than a run has. */
const NO_LIMIT = 2_147_483_647

const placeIn = (bounds: string): string => `width_bucket(date_part('epoch', at), (SELECT ${bounds} FROM bound)) - 1`
const ROLLED_UP = `SELECT coalesce(shift, ${placeIn('divided')}) AS place, asset, ${COLUMN_NAMES} FROM rolled_up`
const RECENT = `SELECT ${placeIn('asked')} AS place, asset, ${COLUMN_NAMES} FROM recent`

/** Rows of several spans belong to one range, and PostgreSQL adds them up. */
const TOGETHER = `SELECT ${ADDED_UP} AS row FROM (${ROLLED_UP} UNION ALL ${RECENT}) figure GROUP BY place, asset`

/** Most ranges have one row for each asset. To group those takes as long as all else. */
const APART = `
  SELECT ${AS_IT_IS} AS row FROM (${ROLLED_UP}) figure
  UNION ALL
  SELECT ${ADDED_UP} AS row FROM (${RECENT}) figure GROUP BY place, asset`

/** One text is sent and read faster than so many rows and columns. */
const asText = (found: string): string => `SELECT string_agg(row, ' ') AS rows FROM (${found}) found`

/**
 * `split` has each quarter of which a part is counted payment by payment. Its changes are left out: they are in those payments.
 *
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
  SELECT DISTINCT quarter FROM run
  CROSS JOIN LATERAL generate_series(stats_quarter(lo), hi - interval '1 microsecond', interval '15 minutes') AS quarter
  WHERE span = 0
), rolled_up AS (
  SELECT run.shift, found.* FROM run CROSS JOIN LATERAL (
    SELECT start AS at, asset, ${COLUMN_NAMES} FROM stats_rollups
    WHERE account_id = $1 AND span = run.span AND start >= run.lo AND start < run.hi
    ORDER BY start LIMIT (SELECT ${NO_LIMIT})
  ) found
  WHERE run.span > 0
), recent AS (
  SELECT quarter AS at, asset, ${countedBy('payments', 'status')}, ${AMOUNT_NAMES} FROM stats_deltas
  WHERE ${scope.delta} = $1 AND quarter >= $8 AND quarter < $9 AND quarter NOT IN (SELECT quarter FROM split)
  UNION ALL
  SELECT found.* FROM run CROSS JOIN LATERAL (
    SELECT payment.created_at, present.asset, ${countedBy('1', 'payment.status')}, ${AMOUNT_NAMES}
    FROM payment_intents payment CROSS JOIN LATERAL stats_of_payment(payment) present
    WHERE ${scope.payment} AND payment.created_at >= run.lo AND payment.created_at < run.hi
    OFFSET 0
  ) found
  WHERE run.span = 0
)
`
  return { together: found + asText(TOGETHER), apart: found + asText(APART) }
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
const FEW_SPANS = 8

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
      const [found] = await db.query<{ rows: string | null }>(
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
      const fields = found?.rows?.split(' ') ?? []
      for (let at = 0; at < fields.length; at += FIELDS) {
        const [place, counted] = readRow(fields.slice(at, at + FIELDS))
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

/** Returns how many spans of the rollups are in the runs: an asset has at most a row in each. */
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

/** Returns the letter that stands for a status, by its place. */
function letterOf(at: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + at)
}

const FIRST_LETTER = letterOf(0).charCodeAt(0)
const NO_COUNTS = countsOf(() => 0)

/** Returns the place of the range, and what is counted in it. */
function readRow(fields: readonly string[]): readonly [number, Figures] {
  const [place, asset = '', volume = '', feeRevenue = '', volumeMicrocents = '', feeMicrocents = '', counts = ''] =
    fields
  const figures = {
    asset: asset === '' ? null : makeAsset(asset),
    counts: countsIn(counts),
    volume: amountIn(volume),
    feeRevenue: amountIn(feeRevenue),
    volumeMicrocents: amountIn(volumeMicrocents),
    feeMicrocents: amountIn(feeMicrocents),
  }
  return [Number(place), figures]
}

/** What did not settle has no amounts, and `BigInt` takes as long for a zero as for others. */
const amountIn = (digits: string): bigint => (digits === '0' ? 0n : BigInt(digits))

/** A count is read as a number: to read hundreds of rows of them as bigint took longer than the rest of the request. */
function countsIn(text: string): Figures['counts'] {
  const counts = { ...NO_COUNTS }
  for (let at = 0; at < text.length; ) {
    let end = at + 1
    while (text.charCodeAt(end) < FIRST_LETTER) end += 1
    const status = INTENT_STATUSES[text.charCodeAt(at) - FIRST_LETTER]
    if (status !== undefined) counts[status] = Number(text.slice(at + 1, end))
    at = end
  }
  return counts
}
