// What the charges of a subscription cost: those with the discount of its coupon come first, and then those of the whole price.
// Every price, total and slice of a discount is computed here. docs/billing.md, "Coupons".
import type { Coupon, Discount } from '#core/billing/coupon.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BaseUnits, makeBaseUnits, makeUsdCents, type UsdCents } from '#core/money/amounts.ts'

/** The amounts of the coming charges, in base units. `discountedPeriods`: how many of them have the discount; null: all. */
export type Prices = Pick<BillingSubscription, 'unitAmount' | 'discountedAmount' | 'discountedPeriods'>

type Price = Pick<Tier, 'priceUsdCents' | 'unitBaseUnits'>

/** Returns the price of a period with the discount. The discount is rounded down to a cent, and stops at the lowest price. */
export function discountedCents(
  price: UsdCents,
  { percentOff, amountOffUsdCents, minPriceUsdCents }: Omit<Discount, 'code'>,
): UsdCents {
  const off = percentOff === null ? (amountOffUsdCents ?? 0n) : (price * BigInt(percentOff)) / 100n
  const discounted = price - off
  if (discounted >= minPriceUsdCents) return makeUsdCents(discounted)
  return price < minPriceUsdCents ? price : minPriceUsdCents
}

/** Returns the prices of a tier with a coupon, before the first charge; null without one. */
export const pricesOf = (price: Price, coupon: Coupon | null): Prices =>
  coupon === null
    ? { unitAmount: price.unitBaseUnits, discountedAmount: price.unitBaseUnits, discountedPeriods: 0 }
    : discounted(price, coupon, coupon.periods)

/** Returns the prices of a tier for a subscription, with what is left of its discount. */
export function pricesAfter({ discount, discountedPeriods }: BillingSubscription, price: Price): Prices {
  return discount === null ? pricesOf(price, null) : discounted(price, discount, discountedPeriods)
}

function discounted(price: Price, discount: Discount, discountedPeriods: number | null): Prices {
  const { priceUsdCents, unitBaseUnits } = price
  const unitsInCent = unitBaseUnits / priceUsdCents
  const discountedAmount = makeBaseUnits(discountedCents(priceUsdCents, discount) * unitsInCent)
  return { unitAmount: unitBaseUnits, discountedAmount, discountedPeriods }
}

/** Returns the base units of the next charge. */
export const nextAmount = ({ unitAmount, discountedAmount, discountedPeriods }: Prices): BaseUnits =>
  discountedPeriods === 0 ? unitAmount : discountedAmount

/** Returns the sum of the next charges, in base units. It can exceed 2^64 − 1. */
export function costOf(prices: Prices, periods: number): bigint {
  const discounted = discountedOf(prices, periods)
  return prices.discountedAmount * BigInt(discounted) + prices.unitAmount * BigInt(periods - discounted)
}

/** Returns how many of the next charges have the discount. */
export const discountedOf = ({ discountedPeriods }: Prices, periods: number): number =>
  discountedPeriods === null ? periods : Math.min(discountedPeriods, periods)

/** Returns how many of the next charges an amount pays, in whole numbers. */
export function periodsWithin({ unitAmount, discountedAmount, discountedPeriods }: Prices, amount: bigint): number {
  const withDiscount = Number(amount / discountedAmount)
  if (discountedPeriods === null || withDiscount <= discountedPeriods) return withDiscount
  return discountedPeriods + Number((amount - discountedAmount * BigInt(discountedPeriods)) / unitAmount)
}

/** Returns what is left of the discount after a charge that succeeded. */
export const afterCharge = ({ discountedPeriods }: Prices): Pick<Prices, 'discountedPeriods'> => ({
  discountedPeriods: discountedPeriods === null ? null : Math.max(0, discountedPeriods - 1),
})

/** What a subscriber authorizes: in US cents, and in base units of the mint. */
export type TotalAuthorization = { readonly usdCents: bigint; readonly baseUnits: bigint }

/** Returns what a subscriber authorizes at the beginning, in base units. `coupon`: null without one. */
export const totalWith = (tier: Price & Pick<Tier, 'authorizationPeriods'>, coupon: Coupon | null): BaseUnits =>
  makeBaseUnits(costOf(pricesOf(tier, coupon), tier.authorizationPeriods))

/** Returns the price of a period with the discount, in US cents. */
export const discountedPriceOf = (price: Price, { discountedAmount }: Prices): UsdCents =>
  makeUsdCents((discountedAmount * price.priceUsdCents) / price.unitBaseUnits)

/** Returns what the next charges cost at the prices of a tier. */
export function totalOf(price: Price, prices: Prices, periods: number): TotalAuthorization {
  const baseUnits = costOf(prices, periods)
  return { usdCents: (baseUnits * price.priceUsdCents) / price.unitBaseUnits, baseUnits }
}
