// The figures of the subscriptions of a business: how many began and ended, why charges failed, and which are due next.
import type { Failures, Forecast, Movement } from '#core/billing/figures.ts'
import { MAX_BUCKETS } from '#core/stats/calendar.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { countsAs, FIELDS_PER_POINT } from '#graphql/documents/cost.ts'
import { calendarOf, countBuckets, rangeOf, StatsIntervalEnum, TIME_ZONE } from '#graphql/stats/fields.ts'
import { bucketsIn, rangeOf as wholeRangeOf } from '#services/stats/stats.ts'
import { FailureCodeEnum } from './charge.ts'
import { merchantOf, ON_BEHALF_OF } from './merchant.ts'

const DAY_MS = 86_400_000
const FORECAST_DAYS = 30

const START = { type: 'DateTimeISO', description: 'The start of the range, included.' } as const
const END = { type: 'DateTimeISO', description: 'The end of the range, excluded.' } as const

const SubscriptionBucket = builder.objectRef<Movement>('SubscriptionBucket').implement({
  description: 'The subscriptions that began and ended in a range of time.',
  fields: (t) => ({
    start: t.expose('from', START),
    end: t.expose('to', END),
    begun: t.exposeInt('begun', { description: 'The subscriptions whose first charge became final.' }),
    ended: t.exposeInt('ended', { description: 'The subscriptions that had begun, and ended.' }),
  }),
})

const ChargeFailures = builder.objectRef<Failures>('ChargeFailures').implement({
  description: 'Charges that failed for one reason, and were not made since.',
  fields: (t) => ({
    failureCode: t.expose('failureCode', { type: FailureCodeEnum, description: 'Why the last try failed.' }),
    count: t.exposeInt('count', { description: 'The number of charges.' }),
    usdCents: t.expose('usdCents', { type: 'Sum', description: 'What they were to pull, in US cents.' }),
  }),
})

const ChargeForecast = builder.objectRef<Forecast>('ChargeForecast').implement({
  description: 'The charges that are due in a range of time, when nothing changes until then.',
  fields: (t) => ({
    start: t.expose('from', START),
    end: t.expose('to', END),
    count: t.exposeInt('count', { description: 'The number of charges.' }),
    usdCents: t.expose('usdCents', { type: 'Sum', description: 'Their sum in US cents.' }),
    coveredUsdCents: t.expose('coveredUsdCents', {
      type: 'Sum',
      description:
        'The part of it that the wallets can pay as far as is known: the allowance that was read last covers it, and the last charge ' +
        'of the subscription has not failed. Charges by other businesses, and what a wallet holds, are not considered.',
    }),
  }),
})

builder.queryFields((t) => ({
  subscriptionTimeseries: t.field({
    type: [SubscriptionBucket],
    nullable: true,
    description: `The subscriptions of the business that began and ended, in at most ${MAX_BUCKETS} buckets, in order. ${REFUSED}`,
    args: {
      from: t.arg({ type: 'DateTimeISO', description: 'Counts from this time on. 30 days before `to` when left out.' }),
      to: t.arg({ type: 'DateTimeISO', description: 'Counts until this time. The present when left out.' }),
      interval: t.arg({ type: StatsIntervalEnum, defaultValue: 'month', description: 'The length of a bucket.' }),
      timezone: t.arg({ type: 'Text', defaultValue: 'UTC', description: TIME_ZONE }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    extensions: countsAs(FIELDS_PER_POINT),
    resolve: async (_root, { onBehalfOf, interval, timezone, ...range }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      const asked = { ...rangeOf(range), ...calendarOf({ interval, timezone }) }
      const { ranges } = bucketsIn(asked, context.services.billing.now())
      await countBuckets(context, ranges.length)
      return [...(await context.reads(merchant.tenant).subscriptionFigures.movements(ranges))]
    },
  }),
  chargeFailures: t.field({
    type: [ChargeFailures],
    nullable: true,
    description:
      'The charges of the business that were planned in a range of time, failed, and were not made since, by the reason; the most ' +
      `frequent first. ${REFUSED}`,
    args: {
      from: t.arg({
        type: 'DateTimeISO',
        description: 'Planned at this time or later. 30 days before `to` when left out.',
      }),
      to: t.arg({ type: 'DateTimeISO', description: 'Planned before this time. The present when left out.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    extensions: countsAs(FIELDS_PER_POINT),
    resolve: async (_root, { onBehalfOf, ...range }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      const asked = wholeRangeOf(rangeOf(range), context.services.billing.now())
      return [...(await context.reads(merchant.tenant).subscriptionFigures.failures(asked))]
    },
  }),
  chargeForecast: t.field({
    type: [ChargeForecast],
    nullable: true,
    description: `The charges of the business in the next ${FORECAST_DAYS} days, day by day, also for days without one. ${REFUSED}`,
    args: {
      timezone: t.arg({ type: 'Text', defaultValue: 'UTC', description: TIME_ZONE }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    extensions: countsAs(FIELDS_PER_POINT),
    resolve: async (_root, { onBehalfOf, timezone }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      const from = context.services.billing.now()
      const to = new Date(from.getTime() + FORECAST_DAYS * DAY_MS)
      const { ranges } = bucketsIn({ from, to, ...calendarOf({ interval: 'day', timezone }) }, from)
      return [...(await context.reads(merchant.tenant).subscriptionFigures.forecast(ranges))]
    },
  }),
}))
