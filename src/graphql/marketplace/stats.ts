// The figures of a marketplace over time. Spec: GET /marketplace/stats/summary, GET /marketplace/stats/timeseries.
import { MAX_BUCKETS, type StatsInterval } from '#core/marketplace/calendar.ts'
import type { Stats } from '#core/marketplace/stats.ts'
import { builder } from '#graphql/builder.ts'
import { type Context, marketplaceOf } from '#graphql/context.ts'
import { inSteps } from '#graphql/page.ts'
import { countedBy } from '#graphql/principal.ts'
import type { AssetStats, RangeStats, StatsTimeseries } from '#services/marketplace/stats-services.ts'

/** A point of the rate limit pays for so many buckets beyond the first ones. */
const BUCKETS_PER_POINT = 50

const StatsIntervalEnum = builder.enumType('StatsInterval', {
  description: 'The length of a bucket, by the calendar of a time zone. A week begins on Monday.',
  values: {
    hour: { description: 'An hour of the local clock.' },
    day: { description: 'A local day: 23 or 25 hours long when the clock changes.' },
    week: { description: 'Seven local days, from Monday.' },
    month: { description: 'A month of the calendar.' },
  } satisfies Readonly<Record<StatsInterval, object>>,
})

const CountsType = builder.objectRef<Stats['countsByStatus']>('PaymentCounts').implement({
  description: 'The number of payments in each status.',
  fields: (t) => ({
    pending: t.exposeInt('pending', { description: 'Payments that are `pending`.' }),
    underpaid: t.exposeInt('underpaid', { description: 'Payments that are `underpaid`.' }),
    paid: t.exposeInt('paid', { description: 'Payments that are `paid`.' }),
    overpaid: t.exposeInt('overpaid', { description: 'Payments that are `overpaid`.' }),
    settling: t.exposeInt('settling', { description: 'Payments that are `settling`.' }),
    swept: t.exposeInt('swept', { description: 'Payments that are `swept`.' }),
    refunding: t.exposeInt('refunding', { description: 'Payments that are `refunding`.' }),
    refunded: t.exposeInt('refunded', { description: 'Payments that are `refunded`.' }),
    cancelled: t.exposeInt('cancelled', { description: 'Payments that are `cancelled`.' }),
    settleFailed: t.exposeInt('settle_failed', { description: 'Payments that are `settle_failed`.' }),
    refundFailed: t.exposeInt('refund_failed', { description: 'Payments that are `refund_failed`.' }),
  }),
})

const AssetStatsType = builder.objectRef<AssetStats>('MarketplaceAssetStats').implement({
  description: 'The figures of the payments that settled in one asset.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'The ticker of the asset.' }),
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: 'The mint of the token. Null for SOL.' }),
    decimals: t.exposeInt('decimals', { description: 'The number of decimals.' }),
    volume: t.expose('volume', {
      type: 'Sum',
      description: 'Base units that settled: all that was received, less the excess that went back.',
    }),
    feeRevenue: t.expose('feeRevenue', {
      type: 'Sum',
      description: 'Base units that the marketplace received as its fee.',
    }),
    paymentsCount: t.exposeInt('paymentsCount', { description: 'The number of payments that settled in the asset.' }),
  }),
})

const StatsType = builder.objectRef<RangeStats>('MarketplaceStats').implement({
  description: 'The figures of the payments for sellers that were created in a range of time.',
  fields: (t) => ({
    start: t.expose('from', { type: 'DateTimeISO', description: 'The start of the range, included.' }),
    end: t.expose('to', { type: 'DateTimeISO', description: 'The end of the range, excluded.' }),
    volumeUsdCents: t.expose('volumeUsdCents', {
      type: 'Sum',
      description: 'The volume of all assets in US cents, at the rate that each payment locked.',
    }),
    feeRevenueUsdCents: t.expose('feeRevenueUsdCents', {
      type: 'Sum',
      description: 'The fees of the marketplace in US cents, at the rate that each payment locked.',
    }),
    paymentsCount: t.exposeInt('paymentsCount', { description: 'The number of payments, in any status.' }),
    countsByStatus: t.expose('countsByStatus', {
      type: CountsType,
      description: 'The number of payments by their present status.',
    }),
    byAsset: t.expose('byAsset', {
      type: [AssetStatsType],
      description: 'The figures of each asset in which a payment settled.',
    }),
  }),
})

const TimeseriesType = builder.objectRef<StatsTimeseries>('MarketplaceStatsTimeseries').implement({
  description: 'The figures of a range of time, bucket by bucket.',
  fields: (t) => ({
    start: t.expose('from', { type: 'DateTimeISO', description: 'The start of the first bucket.' }),
    end: t.expose('to', { type: 'DateTimeISO', description: 'The end of the last bucket.' }),
    interval: t.expose('interval', { type: StatsIntervalEnum, description: 'The length of a bucket.' }),
    timezone: t.exposeString('timeZone', { description: 'The time zone of the calendar.' }),
    buckets: t.field({
      type: [StatsType],
      description:
        `The buckets in order, at most ${MAX_BUCKETS}, also those without a payment. The first one begins at \`from\` and ` +
        'the last one ends at `to`.',
      resolve: ({ buckets }) => inSteps(buckets),
    }),
  }),
})

const FROM = 'Counts payments that were created at this time or later. 30 days before `to` when left out.'
const TO = 'Counts payments that were created before this time. The present when left out.'
// Any string, because a text that is no id gets the answer of an id that no seller has.
const SELLER = 'Counts payments for this seller only.'

type GivenFilter = { readonly from?: Date | null; readonly to?: Date | null; readonly sellerId?: string | null }

const filterOf = ({ from, to, sellerId }: GivenFilter) => ({
  from: from ?? null,
  to: to ?? null,
  sellerId: sellerId ?? null,
})

/** Counts what a long answer costs beyond the call itself. */
async function countBuckets({ principal, limits, onCounted }: Context, buckets: number): Promise<void> {
  const points = Math.floor(buckets / BUCKETS_PER_POINT)
  if (principal.kind === 'business' && points > 0)
    await limits.key(countedBy(principal), principal.tenant.network, points, onCounted)
}

builder.queryFields((t) => ({
  marketplaceStats: t.field({
    type: StatsType,
    nullable: true,
    description: 'The figures of the marketplace over a range of time.',
    args: {
      from: t.arg({ type: 'DateTimeISO', description: FROM }),
      to: t.arg({ type: 'DateTimeISO', description: TO }),
      sellerId: t.arg.string({ description: SELLER }),
    },
    resolve: async (_root, args, context) => {
      const { tenant } = await marketplaceOf(context, 'marketplace-view')
      return await context.services.marketplaceStats.summary(tenant, filterOf(args))
    },
  }),
  marketplaceStatsTimeseries: t.field({
    type: TimeseriesType,
    nullable: true,
    description: `The figures of the marketplace over a range of time, in at most ${MAX_BUCKETS} buckets.`,
    args: {
      from: t.arg({ type: 'DateTimeISO', description: FROM }),
      to: t.arg({ type: 'DateTimeISO', description: TO }),
      sellerId: t.arg.string({ description: SELLER }),
      interval: t.arg({ type: StatsIntervalEnum, defaultValue: 'day', description: 'The length of a bucket.' }),
      timezone: t.arg({
        type: 'Text',
        defaultValue: 'UTC',
        description: 'A name of the IANA database, such as `Europe/Berlin`.',
      }),
    },
    resolve: async (_root, { interval, timezone, ...args }, context) => {
      const { tenant } = await marketplaceOf(context, 'marketplace-view')
      const asked = { ...filterOf(args), interval: interval ?? 'day', timeZone: timezone ?? 'UTC' }
      const timeseries = await context.services.marketplaceStats.timeseries(tenant, asked)
      await countBuckets(context, timeseries.buckets.length)
      return timeseries
    },
  }),
}))
