// The figures of accounts: rollups for whole spans of time, changes that are not in them yet, and the records themselves: at the
// edges of a range, and for payments that are open. One statement reads all of them, so a change counts once, whether or not
// it was compacted.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { makeAsset } from '#core/chain/base58.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import { statusesWhere } from '#core/payments/status-policy.ts'
import { type Cover, coverOf, type Run } from '#core/stats/rollup.ts'
import { countsOf, ENDED_STATUSES, type Figures, negativeOf, type StatsSubject, sumOf } from '#core/stats/stats.ts'
import type { StatsScope, StatsStore } from '#ports/stats.ts'
import { AMOUNT_NAMES, AMOUNTS, COLUMN_NAMES, countedBy } from './rollup-store.ts'

const OPEN_STATUSES = statusesWhere('isOpen')

const FIRST_LETTER = 'a'.charCodeAt(0)

/** The place of the range, the asset, the amounts and the counts. */
const FIELDS = 3 + AMOUNTS.length

/** Returns one text for a row. Most counts are zero, and are left out; each of the others follows the letter of its status. */
const textOf = (
  statuses: readonly IntentStatus[],
  amount: (column: string) => string,
  count: (status: IntentStatus) => string,
): string => {
  const counts = statuses.map((status) => `'${letterOf(status)}' || ${count(status)}`)
  return `concat_ws(' ', place, asset, ${AMOUNTS.map(amount).join(', ')}, concat(${counts.join(', ')}))`
}
const AS_IT_IS = textOf(
  ENDED_STATUSES,
  (column) => column,
  (column) => `nullif(${column}, 0)`,
)
const ADDED_UP = textOf(
  ENDED_STATUSES,
  (column) => `sum(${column})`,
  (column) => `sum(${column}) FILTER (WHERE ${column} <> 0)`,
)
const COUNTED = textOf(
  OPEN_STATUSES,
  (column) => `sum(${column})`,
  (status) => `nullif(count(*) FILTER (WHERE status = '${status}'), 0)`,
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

/** What the figures of a subject are counted from. */
type Source = {
  readonly scope: StatsScope
  /** The records that have ended, with what each of them adds. */
  readonly ended: string
  /** Those that are open; null when they add nothing. */
  readonly open: string | null
}

const paymentsWith = (condition: string, statuses: readonly IntentStatus[]): string => `
  SELECT payment.created_at AS at, payment.status, present.*
  FROM payment_intents payment CROSS JOIN LATERAL stats_of_payment(payment) present
  WHERE ${condition} AND payment.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`
const paymentsOf = (condition: string) => ({
  ended: paymentsWith(condition, ENDED_STATUSES),
  open: paymentsWith(condition, OPEN_STATUSES),
})

const SOURCES = {
  business: { scope: 'payee', ...paymentsOf('payment.caller_account_id = $1 AND payment.account_id = $1') },
  seller: {
    scope: 'payee',
    // Only a payment for a seller has the fee of a marketplace, and an index of its own.
    ...paymentsOf(
      'payment.account_id = $1 AND payment.account_id <> payment.caller_account_id AND payment.marketplace_fee_bps IS NOT NULL',
    ),
  },
  sellers: {
    scope: 'marketplace',
    ...paymentsOf('payment.caller_account_id = $1 AND payment.account_id <> payment.caller_account_id'),
  },
  charges: {
    scope: 'charges',
    ended: `
  SELECT charge.created_at AS at, 'swept' AS status, present.*
  FROM charges charge CROSS JOIN LATERAL stats_of_charge(charge) present
  WHERE charge.account_id = $1 AND charge.status = 'succeeded'`,
    open: null,
  },
} as const satisfies Readonly<Record<string, Source>>

/**
 * `split` has each quarter of which a part is counted record by record. Its changes are left out: they are in those records.
 *
 * `OFFSET 0` or `LIMIT` keeps each run apart: the planner does not join all runs with all rows. `ORDER BY` and a limit that the
 * planner cannot see make it a plain scan of the index: it expects to read a tenth of the rows. Otherwise it gathers the rows of
 * each run in a bitmap and sorts them, once there are many rows in the table.
 */
const statementsOf = ({ scope, ended, open }: Source) => {
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
    WHERE account_id = $1 AND scope = '${scope}' AND span = run.span AND start >= run.lo AND start < run.hi
    ORDER BY start LIMIT (SELECT ${NO_LIMIT})
  ) found
  WHERE run.span > 0
), recent AS (
  SELECT quarter AS at, asset, ${countedBy('payments', 'status')}, ${AMOUNT_NAMES} FROM stats_deltas
  WHERE account_id = $1 AND scope = '${scope}' AND quarter >= $8 AND quarter < $9
    AND quarter NOT IN (SELECT quarter FROM split)
  UNION ALL
  SELECT found.at, asset, ${countedBy('1', 'status')}, ${AMOUNT_NAMES} FROM run CROSS JOIN LATERAL (
    SELECT * FROM (${ended}) ended WHERE at >= run.lo AND at < run.hi OFFSET 0
  ) found
  WHERE run.span = 0
)
`
  const counted =
    open === null
      ? ''
      : `
  UNION ALL
  SELECT ${COUNTED} AS row FROM (
    SELECT ${placeIn('asked')} AS place, record.* FROM (${open}) record WHERE at >= $8 AND at < $9
  ) figure GROUP BY place, asset`
  return { together: found + asText(TOGETHER + counted), apart: found + asText(APART + counted) }
}

const STATEMENTS = {
  business: statementsOf(SOURCES.business),
  seller: statementsOf(SOURCES.seller),
  sellers: statementsOf(SOURCES.sellers),
  charges: statementsOf(SOURCES.charges),
}

/** Returns the statements about a subject, and the account that they are about. */
const statementsFor = (of: StatsSubject, accountId: string) =>
  typeof of === 'string' ? { ...STATEMENTS[of], accountId } : { ...STATEMENTS.seller, accountId: of.sellerId }

/** Up to so many spans of rollups for each range are added up here, which is faster than to group them. */
const FEW_SPANS = 8

export function createStatsStore(db: Pick<Database, 'query'>): StatsStore {
  return {
    async figures(business, { of, ranges }) {
      const first = ranges[0]
      const last = ranges.at(-1)
      if (first === undefined || last === undefined) return []
      const asked = [...ranges.map(({ from }) => from), last.to].map((bound) => bound.getTime())
      const cover = coverOf(asked)
      const runs = placed(cover, ranges.length)
      const { together, apart, accountId } = statementsFor(of, business.accountId)
      const [found] = await db.query<{ rows: string | null }>(
        spansOf(runs) > FEW_SPANS * ranges.length ? together : apart,
        [
          accountId,
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

/** Returns the letter that stands for a status. */
function letterOf(status: IntentStatus): string {
  return String.fromCharCode(FIRST_LETTER + INTENT_STATUSES.indexOf(status))
}

const NO_COUNTS = countsOf(() => 0)

/** Returns the place of the range, and what is counted in it. */
function readRow(fields: readonly string[]): readonly [number, Figures] {
  const [
    place,
    asset = '',
    volume = '',
    net = '',
    feeRevenue = '',
    volumeMicrocents = '',
    netMicrocents = '',
    feeMicrocents = '',
    counts = '',
  ] = fields
  const figures = {
    asset: asset === '' ? null : makeAsset(asset),
    counts: countsIn(counts),
    volume: amountIn(volume),
    net: amountIn(net),
    feeRevenue: amountIn(feeRevenue),
    volumeMicrocents: amountIn(volumeMicrocents),
    netMicrocents: amountIn(netMicrocents),
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
