// A coupon of a business: what it takes off the price of a period, for how many charges, and how often it may be used. Its terms never
// change after the creation. docs/billing.md, "Coupons".
import { type CatalogueStatus, catalogueStatus } from '#core/billing/catalogue.ts'
import { usdCentsCodec } from '#core/chain/codecs.ts'
import { type Codec, type Decoded, type Encoded, integer, nullable, record, text, time, uuid } from '#core/codec.ts'
import type { ErrorCode } from '#core/errors.ts'
import { isUsdCents, type UsdCents } from '#core/money/amounts.ts'

/** What a subscription keeps of its coupon. One of `percentOff` and `amountOffUsdCents` is null. */
const DISCOUNT_FIELDS = {
  /** In capital letters. */
  code: text,
  percentOff: nullable(integer),
  amountOffUsdCents: nullable(usdCentsCodec),
  /** A discount goes no lower than this price of a period. */
  minPriceUsdCents: usdCentsCodec,
} as const

export type Discount = Decoded<typeof DISCOUNT_FIELDS>

export const discountCodec: Codec<Discount, Encoded<typeof DISCOUNT_FIELDS>> = record(DISCOUNT_FIELDS)

export const COUPON_FIELDS = {
  id: uuid,
  accountId: uuid,
  ...DISCOUNT_FIELDS,
  /** How many charges have the discount, from the first one; null for all. */
  periods: nullable(integer),
  /** How many checkouts can use it, in all and of one wallet; null without a limit. */
  maxUses: nullable(integer),
  maxUsesPerWallet: nullable(integer),
  endsAt: nullable(time),
  /** The product that it is for; null for all products of the business. */
  productId: nullable(uuid),
  archivedAt: nullable(time),
  createdAt: time,
} as const

export type Coupon = Decoded<typeof COUPON_FIELDS>

/** How many checkouts use a coupon: completed ones, and open ones with an approve that may still land. */
export type CouponUses = { readonly uses: number; readonly usesOfWallet: number }

// A new coupon: the rules of its fields.

/** What a business gives for a new coupon. The numbers are any integers until they are judged. */
export type CouponInput = {
  readonly code: string
  readonly percentOff: number | null
  readonly amountOffUsdCents: bigint | null
  readonly periods: number | null
  readonly maxUses: number | null
  readonly maxUsesPerWallet: number | null
  readonly endsAt: Date | null
  readonly productId: string | null
}

/** Shorter than a UUID, so that a code never looks like the id of a coupon. */
const CODE = /^[A-Z0-9][A-Z0-9_-]{2,31}$/

/** Returns a code as it is stored and compared: people write it in any case, and with spaces before and after it. */
export const couponCodeOf = (given: string): string => given.trim().toUpperCase()

export const isCouponCode = (code: string): boolean => CODE.test(code)

/** Each completion counts the uses of a limited coupon, so there is a highest limit. */
const MAX_USES = 100_000

type Field =
  | 'code'
  | 'percent_off'
  | 'amount_off_usd_cents'
  | 'periods'
  | 'max_uses'
  | 'max_uses_per_wallet'
  | 'ends_at'

/** Returns the name of the first field that breaks a rule; null when there is none. */
export function judgeCouponInput(input: CouponInput, now: Date): Field | null {
  const { percentOff, amountOffUsdCents, periods, maxUses, maxUsesPerWallet, endsAt } = input
  if (!isCouponCode(couponCodeOf(input.code))) return 'code'
  if (amountOffUsdCents === null && (percentOff === null || !isWithin(percentOff, 99))) return 'percent_off'
  if (amountOffUsdCents !== null && (percentOff !== null || !isUsdCents(amountOffUsdCents) || amountOffUsdCents < 1n))
    return 'amount_off_usd_cents'
  if (periods !== null && !isWithin(periods, MAX_PERIODS)) return 'periods'
  if (maxUses !== null && !isWithin(maxUses, MAX_USES)) return 'max_uses'
  if (maxUsesPerWallet !== null && !isWithin(maxUsesPerWallet, MAX_USES)) return 'max_uses_per_wallet'
  return endsAt !== null && endsAt <= now ? 'ends_at' : null
}

const MAX_PERIODS = 10_000

const isWithin = (count: number, most: number): boolean => Number.isInteger(count) && count >= 1 && count <= most

/** Returns the coupon of an input that keeps the rules. The lowest price of the platform at this moment is frozen into it. */
export const newCoupon = (
  { amountOffUsdCents, ...input }: CouponInput,
  of: { readonly id: string; readonly accountId: string; readonly minPriceUsdCents: UsdCents; readonly at: Date },
): Coupon => ({
  ...input,
  id: of.id,
  accountId: of.accountId,
  code: couponCodeOf(input.code),
  amountOffUsdCents: isUsdCents(amountOffUsdCents) ? amountOffUsdCents : null,
  minPriceUsdCents: of.minPriceUsdCents,
  archivedAt: null,
  createdAt: of.at,
})

/** Returns what a subscription keeps of a coupon. */
export const discountOf = ({ code, percentOff, amountOffUsdCents, minPriceUsdCents }: Coupon): Discount => ({
  code,
  percentOff,
  amountOffUsdCents,
  minPriceUsdCents,
})

export const couponStatus = ({ archivedAt }: Pick<Coupon, 'archivedAt'>): CatalogueStatus =>
  catalogueStatus({ archivedAt })

/**
 * Returns why a checkout of a product cannot use the coupon; null when it can. `uses` are those of other checkouts. An archived
 * coupon is unknown, and the answer does not say which of the two limits is reached.
 */
export function judgeCoupon(
  coupon: Coupon,
  { productId, uses, usesOfWallet, now }: CouponUses & { readonly productId: string; readonly now: Date },
): ErrorCode | null {
  if (coupon.archivedAt !== null) return 'coupon_not_found'
  if (coupon.endsAt !== null && coupon.endsAt <= now) return 'coupon_ended'
  if (coupon.productId !== null && coupon.productId !== productId) return 'coupon_not_for_product'
  return isUsedUp(coupon, { uses, usesOfWallet }) ? 'coupon_used_up' : null
}

/** Returns whether no other checkout can use the coupon, or none of the wallet. */
export const isUsedUp = (
  { maxUses, maxUsesPerWallet }: Pick<Coupon, 'maxUses' | 'maxUsesPerWallet'>,
  { uses, usesOfWallet }: CouponUses,
): boolean => (maxUses !== null && uses >= maxUses) || (maxUsesPerWallet !== null && usesOfWallet >= maxUsesPerWallet)
