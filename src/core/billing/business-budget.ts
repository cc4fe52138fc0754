// What the subscriptions of one business may cost the fee payer in 24 hours. docs/billing.md, "What subscriptions may cost".
import { DAY_MS } from '#core/billing/calendar.ts'
import type { Charge } from '#core/billing/charge.ts'
import { later } from '#core/billing/dunning.ts'
import { withoutReserve } from '#core/billing/sponsoring.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type Lamports, makeLamports } from '#core/money/amounts.ts'
import type { Delay } from '#core/transfers/preflight.ts'

/**
 * Returns whether the platform receives a US cent or more from the charge. That is more than the transaction costs, about 10,400
 * lamports, while SOL is below 900 dollars. So it does not count in the budget of the business.
 */
export const repaysItself = ({ feeAmount }: Pick<Charge, 'feeAmount'>, { decimals }: Pick<Tier, 'decimals'>): boolean =>
  feeAmount >= 10n ** BigInt(decimals - 2)

/** The limits of a business, and the time from which its costs count. */
export type BusinessLimit = {
  readonly since: Date
  readonly budget: Lamports
  /** What new periods and new checkouts may use. */
  readonly withoutReserve: Lamports
}

export const businessLimitAt = (budget: Lamports, now: Date): BusinessLimit => ({
  since: later(now, -DAY_MS),
  budget,
  withoutReserve: withoutReserve(budget),
})

/** The budget is that of 24 hours: some of it becomes free all the time. */
export const OVER_BUSINESS_BUDGET: Delay = {
  reason:
    'The subscriptions of the business have cost the fee payer as much as they may in 24 hours: the charge continues when less ' +
    'of this budget is used.',
  afterMs: 30 * 60_000,
  // Charges that wait keep no place: whichever is due when budget is free continues.
  budgetWaitCost: makeLamports(0n),
}
