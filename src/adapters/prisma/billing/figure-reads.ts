// The figures of the subscriptions of a business, each counted by an index of what it is about.
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { FailureCode } from '#core/billing/charge.ts'
import type { Failures, Forecast, Movement } from '#core/billing/figures.ts'
import type { TimeRange } from '#core/stats/calendar.ts'

/** The ranges of a question follow one another without a gap. */
export type FigureReads = {
  movements(ranges: readonly TimeRange[]): Promise<readonly Movement[]>
  /** Returns the most frequent reason first. */
  failures(range: TimeRange): Promise<readonly Failures[]>
  forecast(ranges: readonly TimeRange[]): Promise<readonly Forecast[]>
}

const MOVEMENTS = `
SELECT width_bucket(at, $3::timestamptz[]) - 1 AS place,
  count(*) FILTER (WHERE "isBegin")::int AS begun, count(*) FILTER (WHERE NOT "isBegin")::int AS ended
FROM (
  SELECT activated_at AS at, true AS "isBegin" FROM billing_subscriptions
  WHERE account_id = $1::uuid AND network = $2::network_name AND activated_at >= $4::timestamptz AND activated_at < $5::timestamptz
  UNION ALL
  SELECT ended_at, false FROM billing_subscriptions
  WHERE account_id = $1::uuid AND network = $2::network_name AND ended_at >= $4::timestamptz AND ended_at < $5::timestamptz
    AND activated_at IS NOT NULL
) moved
GROUP BY place`

const FAILURES = `
SELECT charge.failure_code AS "failureCode", count(*)::int AS count,
  sum(floor(charge.amount * 100 / 10::numeric ^ tier.decimals))::text AS cents
FROM charges charge
JOIN billing_subscriptions subscription ON subscription.id = charge.subscription_id
JOIN subscription_tiers tier ON tier.id = subscription.tier_id
WHERE charge.account_id = $1::uuid AND charge.network = $2::network_name AND charge.failure_code IS NOT NULL
  AND charge.created_at >= $3::timestamptz AND charge.created_at < $4::timestamptz AND charge.status IN ('failed', 'canceled')
GROUP BY charge.failure_code
ORDER BY count DESC, charge.failure_code`

/**
 * A subscription is charged at its next try, and when each later period begins, until its slice is used up. The charges of a
 * wallet take from its allowance in the order of their times. The first ones have what is left of a discount.
 */
const FORECAST = `
WITH charged AS (
  SELECT id, delegation_id, tier_id, unit_amount, discounted_amount, discounted_periods, status, greatest(next_charge_at, $4::timestamptz) AS next,
    (coalesce(current_period_end, next_charge_at)) AT TIME ZONE 'UTC' AS period_end,
    ('1 ' || "interval")::interval * interval_count AS step,
    CASE WHEN discounted_periods IS NULL OR floor(remaining / discounted_amount) <= discounted_periods
      THEN floor(remaining / discounted_amount)
      ELSE discounted_periods + floor((remaining - discounted_amount * discounted_periods) / unit_amount) END AS most
  FROM billing_subscriptions CROSS JOIN LATERAL (SELECT authorized_amount - spent_amount AS remaining) slice
  WHERE account_id = $1::uuid AND network = $2::network_name AND status NOT IN ('canceled', 'failed')
    AND NOT cancel_at_period_end AND next_charge_at < $5::timestamptz
), planned AS (
  SELECT charged.*, time.at, row_number() OVER (PARTITION BY charged.id ORDER BY time.at) AS nth
  FROM charged CROSS JOIN LATERAL (
    SELECT next AS at
    UNION ALL
    SELECT local AT TIME ZONE 'UTC' FROM generate_series(
      period_end, least($5::timestamptz AT TIME ZONE 'UTC', period_end + least(most, 10000) * step), step) AS local
    WHERE local AT TIME ZONE 'UTC' > next AND local AT TIME ZONE 'UTC' < $5::timestamptz
  ) time
), priced AS (
  SELECT planned.at, planned.amount * tier.price_usd_cents / tier.unit_base_units AS cents,
    planned.status <> 'past_due' AND delegation.chain_allowance >=
      sum(planned.amount) OVER (PARTITION BY planned.delegation_id ORDER BY planned.at, planned.id) AS "isCovered"
  FROM (
    SELECT planned.*, CASE WHEN nth <= coalesce(discounted_periods, nth) THEN discounted_amount ELSE unit_amount END AS amount
    FROM planned
  ) planned
  JOIN delegations delegation ON delegation.id = planned.delegation_id
  JOIN subscription_tiers tier ON tier.id = planned.tier_id
  WHERE planned.nth <= planned.most
)
SELECT width_bucket(at, $3::timestamptz[]) - 1 AS place, count(*)::int AS count, trunc(sum(cents))::text AS cents,
  trunc(coalesce(sum(cents) FILTER (WHERE "isCovered"), 0))::text AS covered
FROM priced
GROUP BY place`

type Placed = { readonly place: number }

export function createFigureReads(
  prisma: Pick<PrismaClient, '$queryRawUnsafe'>,
  { accountId, network }: Tenant,
): FigureReads {
  /** Returns the row of each range; null for a range without one. */
  const inRanges = async <Row extends Placed>(sql: string, ranges: readonly TimeRange[]) => {
    const starts = ranges.map(({ from }) => from.toISOString())
    const bounds = [ranges[0]?.from.toISOString(), ranges.at(-1)?.to.toISOString()]
    const rows = await prisma.$queryRawUnsafe<Row[]>(sql, accountId, network, starts, ...bounds)
    const found = new Map(rows.map((row) => [row.place, row]))
    return ranges.map((range, place) => ({ range, row: found.get(place) ?? null }))
  }
  return {
    async movements(ranges) {
      const found = await inRanges<Placed & { begun: number; ended: number }>(MOVEMENTS, ranges)
      return found.map(({ range, row }) => ({ ...range, begun: row?.begun ?? 0, ended: row?.ended ?? 0 }))
    },
    async failures({ from, to }) {
      type Row = { readonly failureCode: FailureCode; readonly count: number; readonly cents: string }
      const rows = await prisma.$queryRawUnsafe<Row[]>(
        FAILURES,
        accountId,
        network,
        from.toISOString(),
        to.toISOString(),
      )
      return rows.map(({ cents, ...row }) => ({ ...row, usdCents: BigInt(cents) }))
    },
    async forecast(ranges) {
      const found = await inRanges<Placed & { count: number; cents: string; covered: string }>(FORECAST, ranges)
      return found.map(({ range, row }) => ({
        ...range,
        count: row?.count ?? 0,
        usdCents: BigInt(row?.cents ?? 0),
        coveredUsdCents: BigInt(row?.covered ?? 0),
      }))
    },
  }
}
