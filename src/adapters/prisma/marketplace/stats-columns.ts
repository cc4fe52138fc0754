// The columns of the figures of a marketplace, in the rollups and in every statement that adds figures up.
import { ROLLUP_SPANS } from '#core/marketplace/rollup.ts'
import { INTENT_STATUSES } from '#core/payments/payment-intent.ts'

export const AMOUNTS = ['volume', 'fee_revenue', 'volume_microcents', 'fee_microcents'] as const
export const AMOUNT_NAMES = AMOUNTS.join(', ')

/** A count of payments for each status, and the amounts. */
export const COLUMNS = [...INTENT_STATUSES, ...AMOUNTS] as const
export const COLUMN_NAMES = COLUMNS.join(', ')

/** The condition on a row: one of its figures is not zero. */
export const HAS_FIGURES = `(${COLUMN_NAMES}) IS DISTINCT FROM (${COLUMNS.map(() => '0').join(', ')})`

/** The spans of the rollups in seconds, as rows. */
export const SPAN_VALUES = `VALUES ${ROLLUP_SPANS.map((seconds) => `(${seconds})`).join(', ')}`

/** Returns the begin of the span of so many seconds that a time is in. */
export const spanStart = (seconds: string, at: string): string =>
  `date_bin(make_interval(secs => ${seconds}), ${at}, '1970-01-01T00:00:00Z')`

/** Returns the counts of one payment, or of one change of `payments` payments, as a row of the rollups has them. */
export const countedBy = (payments: string, status: string): string =>
  INTENT_STATUSES.map((one) => `CASE WHEN ${status} = '${one}' THEN ${payments} ELSE 0 END AS ${one}`).join(', ')
