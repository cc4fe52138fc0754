// Figures of the subscriptions of a business.
import type { FailureCode } from '#core/billing/charge.ts'
import type { TimeRange } from '#core/stats/calendar.ts'

/** How many subscriptions began with a first charge in a range, and how many of those that had begun ended in it. */
export type Movement = TimeRange & { readonly begun: number; readonly ended: number }

/** Charges that were planned in a range and whose last try failed, by the reason. */
export type Failures = { readonly failureCode: FailureCode; readonly count: number; readonly usdCents: bigint }

/** Charges that are due in a range, and those of them that can be made as far as is known. */
export type Forecast = TimeRange & {
  readonly count: number
  readonly usdCents: bigint
  readonly coveredUsdCents: bigint
}
