// The figures of a marketplace over time. Spec: GET /marketplace/stats/summary, GET /marketplace/stats/timeseries.
import { MAX_BUCKETS } from '#core/stats/calendar.ts'
import { builder } from '#graphql/builder.ts'
import { marketplaceOf } from '#graphql/context.ts'
import { inSteps } from '#graphql/page.ts'
import type { AssetStats, RangeStats, StatsTimeseries } from '#services/stats/stats.ts'
import {
  BUCKETS,
  CountsType,
  calendarOf,
  countBuckets,
  FROM,
  type GivenRange,
  INTERVAL,
  rangeOf,
  StatsIntervalEnum,
  TIME_ZONE,
  TO,
} from './fields.ts'

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
    interval: t.expose('interval', { type: StatsIntervalEnum, description: INTERVAL }),
    timezone: t.exposeString('timeZone', { description: 'The time zone of the calendar.' }),
    buckets: t.field({
      type: [StatsType],
      description: BUCKETS,
      resolve: ({ buckets }) => inSteps(buckets),
    }),
  }),
})

// Any string, because a text that is no id gets the answer of an id that no seller has.
const SELLER = 'Counts payments for this seller only.'

const filterOf = ({ sellerId, ...range }: GivenRange & { readonly sellerId?: string | null }) => ({
  ...rangeOf(range),
  sellerId: sellerId ?? null,
})

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
      interval: t.arg({ type: StatsIntervalEnum, defaultValue: 'day', description: INTERVAL }),
      timezone: t.arg({ type: 'Text', defaultValue: 'UTC', description: TIME_ZONE }),
    },
    resolve: async (_root, { interval, timezone, ...args }, context) => {
      const { tenant } = await marketplaceOf(context, 'marketplace-view')
      const asked = { ...filterOf(args), ...calendarOf({ interval, timezone }) }
      const timeseries = await context.services.marketplaceStats.timeseries(tenant, asked)
      await countBuckets(context, timeseries.buckets.length)
      return timeseries
    },
  }),
}))
