// The figures of a business over time: the payments for itself, and the charges of its subscriptions.
import { MAX_BUCKETS } from '#core/stats/calendar.ts'
import { paidCountOf } from '#core/stats/stats.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf, type Context } from '#graphql/context.ts'
import { inSteps } from '#graphql/page.ts'
import type { AssetStats, BusinessStats, StatsTimeseries } from '#services/stats/stats.ts'
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

const AssetStatsType = builder.objectRef<AssetStats>('AssetStats').implement({
  description: 'The figures of the payments that settled in one asset.',
  fields: (t) => ({
    ticker: t.exposeString('ticker', { description: 'The ticker of the asset.' }),
    mint: t.expose('mint', { type: 'Mint', nullable: true, description: 'The mint of the token. Null for SOL.' }),
    decimals: t.exposeInt('decimals', { description: 'The number of decimals.' }),
    volume: t.expose('volume', {
      type: 'Sum',
      description: 'Base units that settled: all that was received, less the excess that went back.',
    }),
    net: t.expose('net', { type: 'Sum', description: 'Base units that the business received.' }),
    fees: t.field({
      type: 'Sum',
      description: 'Base units of the fees of the platform and of the network.',
      resolve: ({ volume, net }) => volume - net,
    }),
    paymentsCount: t.exposeInt('paymentsCount', { description: 'The number of payments that settled in the asset.' }),
  }),
})

const WITHOUT_CHARGES = 'Null for a caller that may not read subscriptions.'

const StatsType = builder.objectRef<BusinessStats>('Stats').implement({
  description:
    'The figures of a business, over the payments for itself that were created in a range of time. The payments that it takes for ' +
    'sellers are in `marketplaceStats`.',
  fields: (t) => ({
    start: t.expose('from', { type: 'DateTimeISO', description: 'The start of the range, included.' }),
    end: t.expose('to', { type: 'DateTimeISO', description: 'The end of the range, excluded.' }),
    volumeUsdCents: t.expose('volumeUsdCents', {
      type: 'Sum',
      description: 'What settled, of all assets, in US cents, at the rate that each payment locked.',
    }),
    netUsdCents: t.expose('netUsdCents', {
      type: 'Sum',
      description: 'What the business received of the volume, in US cents.',
    }),
    feesUsdCents: t.field({
      type: 'Sum',
      description: 'The rest of the volume: the fees of the platform and of the network, in US cents.',
      resolve: ({ volumeUsdCents, netUsdCents }) => volumeUsdCents - netUsdCents,
    }),
    paymentsCount: t.exposeInt('paymentsCount', { description: 'The number of payments, in any status.' }),
    paidCount: t.int({
      description:
        'The number of payments whose price was paid in time and does not go back: `paid`, `overpaid`, `settling`, `swept` and ' +
        '`settle_failed`.',
      resolve: paidCountOf,
    }),
    countsByStatus: t.expose('countsByStatus', {
      type: CountsType,
      description: 'The number of payments by their present status.',
    }),
    byAsset: t.expose('byAsset', {
      type: [AssetStatsType],
      description: 'The figures of each asset in which a payment settled.',
    }),
    recurringUsdCents: t.field({
      type: 'Sum',
      nullable: true,
      description: `The charges of subscriptions that were created in the range and succeeded, in US cents. ${WITHOUT_CHARGES}`,
      resolve: ({ charges }) => charges?.volumeUsdCents,
    }),
    chargesCount: t.int({
      nullable: true,
      description: `The number of these charges. ${WITHOUT_CHARGES}`,
      resolve: ({ charges }) => charges?.paymentsCount,
    }),
  }),
})

const TimeseriesType = builder.objectRef<StatsTimeseries<BusinessStats>>('StatsTimeseries').implement({
  description: 'The figures of a range of time, bucket by bucket.',
  fields: (t) => ({
    start: t.expose('from', { type: 'DateTimeISO', description: 'The start of the first bucket.' }),
    end: t.expose('to', { type: 'DateTimeISO', description: 'The end of the last bucket.' }),
    interval: t.expose('interval', { type: StatsIntervalEnum, description: INTERVAL }),
    timezone: t.exposeString('timeZone', { description: 'The time zone of the calendar.' }),
    buckets: t.field({ type: [StatsType], description: BUCKETS, resolve: ({ buckets }) => inSteps(buckets) }),
  }),
})

/** Charges are for callers that may read subscriptions. */
const filterOf = ({ principal }: Context, range: GivenRange) => ({
  ...rangeOf(range),
  withCharges: principal.kind === 'business' && principal.permissions.has('subscriptions-view'),
})

builder.queryFields((t) => ({
  stats: t.field({
    type: StatsType,
    nullable: true,
    description: 'The figures of the business over a range of time.',
    args: {
      from: t.arg({ type: 'DateTimeISO', description: FROM }),
      to: t.arg({ type: 'DateTimeISO', description: TO }),
    },
    resolve: async (_root, range, context) => {
      const tenant = await businessOf(context, 'payments-view')
      return await context.services.stats.summary(tenant, filterOf(context, range))
    },
  }),
  statsTimeseries: t.field({
    type: TimeseriesType,
    nullable: true,
    description: `The figures of the business over a range of time, in at most ${MAX_BUCKETS} buckets.`,
    args: {
      from: t.arg({ type: 'DateTimeISO', description: FROM }),
      to: t.arg({ type: 'DateTimeISO', description: TO }),
      interval: t.arg({ type: StatsIntervalEnum, defaultValue: 'day', description: INTERVAL }),
      timezone: t.arg({ type: 'Text', defaultValue: 'UTC', description: TIME_ZONE }),
    },
    resolve: async (_root, { interval, timezone, ...range }, context) => {
      const tenant = await businessOf(context, 'payments-view')
      const asked = { ...filterOf(context, range), ...calendarOf({ interval, timezone }) }
      const timeseries = await context.services.stats.timeseries(tenant, asked)
      await countBuckets(context, timeseries.buckets.length)
      return timeseries
    },
  }),
}))
