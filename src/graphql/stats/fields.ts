// What the figures of a business and of a marketplace have in common.
import { MAX_BUCKETS, type StatsInterval } from '#core/stats/calendar.ts'
import type { Stats } from '#core/stats/stats.ts'
import { builder } from '#graphql/builder.ts'
import type { Context } from '#graphql/context.ts'
import { countedBy } from '#graphql/principal.ts'

/** A point of the rate limit pays for so many buckets beyond the first ones. */
const BUCKETS_PER_POINT = 50

export const StatsIntervalEnum = builder.enumType('StatsInterval', {
  description: 'The length of a bucket, by the calendar of a time zone. A week begins on Monday.',
  values: {
    hour: { description: 'An hour of the local clock.' },
    day: { description: 'A local day: 23 or 25 hours long when the clock changes.' },
    week: { description: 'Seven local days, from Monday.' },
    month: { description: 'A month of the calendar.' },
  } satisfies Readonly<Record<StatsInterval, object>>,
})

export const CountsType = builder.objectRef<Stats['countsByStatus']>('PaymentCounts').implement({
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

export const BUCKETS =
  `The buckets in order, at most ${MAX_BUCKETS}, also those without a payment. The first one begins at \`from\` and the last one ends ` +
  'at `to`.'

export const INTERVAL = 'The length of a bucket.'
export const TIME_ZONE = 'A name of the IANA database, such as `Europe/Berlin`.'
export const FROM = 'Counts payments that were created at this time or later. 30 days before `to` when left out.'
export const TO = 'Counts payments that were created before this time. The present when left out.'

export type GivenRange = { readonly from?: Date | null; readonly to?: Date | null }
export const rangeOf = ({ from, to }: GivenRange) => ({ from: from ?? null, to: to ?? null })

export type GivenCalendar = { readonly interval?: StatsInterval | null; readonly timezone?: string | null }
export const calendarOf = ({ interval, timezone }: GivenCalendar) => ({
  interval: interval ?? 'day',
  timeZone: timezone ?? 'UTC',
})

/** Counts what a long answer costs beyond the call itself. */
export async function countBuckets({ principal, limits, onCounted }: Context, buckets: number): Promise<void> {
  const points = Math.floor(buckets / BUCKETS_PER_POINT)
  if (principal.kind === 'business' && points > 0)
    await limits.key(countedBy(principal), principal.tenant.network, points, onCounted)
}
