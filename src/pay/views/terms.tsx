// The price of a tier in words.
import type { PayTierFragment } from '#pay/documents.generated.ts'
import { type Page, usePage } from './context.tsx'
import type { Formats } from './formats.ts'

// How often a tier is charged, in words. The pages and the dashboard say it in the same way.

const EACH = { day: 'everyDay', week: 'everyWeek', month: 'everyMonth', year: 'everyYear' } as const

type Interval = keyof typeof EACH

type Words = {
  say(key: (typeof EACH)[Interval] | 'every', values?: Readonly<Record<string, string>>): string
  readonly formats: Pick<Formats, 'duration'>
}

/** Returns a text such as `every month`, or `every 3 months`. */
export const rhythmOf = (
  { say, formats }: Words,
  { interval, intervalCount }: { readonly interval: Interval; readonly intervalCount: number },
): string =>
  intervalCount === 1 ? say(EACH[interval]) : say('every', { duration: formats.duration(intervalCount, interval) })

// A discount, in words.

type Off = { readonly percentOff: number | null; readonly amountOffUsdCents: number | null }

/** Returns a text such as `50%` or `$5.00`. */
export const offOf = ({ formats }: Pick<Page, 'formats'>, { percentOff, amountOffUsdCents }: Off): string =>
  percentOff === null ? formats.dollars(amountOffUsdCents ?? 0) : formats.percent(percentOff)

/** Returns a text such as `50% off the first 3 payments`. */
export function discountIn(page: Page, coupon: Off & { readonly periods: number | null }): string {
  const { say, formats } = page
  const off = offOf(page, coupon)
  if (coupon.periods === null) return say('offAll', { off })
  return coupon.periods === 1
    ? say('offFirst', { off })
    : say('offPayments', { off, payments: formats.number(coupon.periods) })
}

/** The prices of the payments that a wallet allows: so many with the discount, and then the others. */
export type Payments = {
  readonly count: number
  readonly discounted: number
  /** In US cents: of the first payment, and of those after the discounted ones. */
  readonly first: number
  readonly last: number
}

type Sold = Pick<PayTierFragment, 'priceUsdCents' | 'authorizationPeriods'>
type Coupon = { readonly periods: number | null; readonly priceUsdCents: number }

/** Returns the payments of a checkout. */
export function paymentsOf(
  { priceUsdCents: last, authorizationPeriods: count }: Sold,
  coupon: Coupon | null,
): Payments {
  if (coupon === null) return { count, discounted: 0, first: last, last }
  return { count, discounted: Math.min(coupon.periods ?? count, count), first: coupon.priceUsdCents, last }
}

type Trial = { readonly trialDays: number; readonly trialEndsAt: string | null }

type PriceProps = {
  readonly tier: PayTierFragment
  /** What is free before the price is charged. */
  readonly trial?: Trial
  /** The price of the next payment, in US cents, where a discount makes it a lower one. */
  readonly discounted?: number | null
}

export function Price({ tier, trial, discounted = null }: PriceProps) {
  const page = usePage()
  const { say, formats } = page
  if (trial !== undefined && trial.trialEndsAt !== null) {
    const price = { price: formats.dollars(discounted ?? tier.priceUsdCents), rhythm: rhythmOf(page, tier) }
    return (
      <>
        <p class="price">
          <strong>{say('daysFree', { duration: formats.duration(trial.trialDays, 'day') })}</strong>
        </p>
        <p class="hint">{say('thenPrice', { ...price, date: formats.date(trial.trialEndsAt) })}</p>
      </>
    )
  }
  return (
    <p class="price">
      {discounted !== null && <s>{formats.dollars(tier.priceUsdCents)}</s>}{' '}
      <strong>{formats.dollars(discounted ?? tier.priceUsdCents)}</strong> {rhythmOf(page, tier)}
    </p>
  )
}
