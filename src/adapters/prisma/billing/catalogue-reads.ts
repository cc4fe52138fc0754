// The catalogue that an edge can read with Prisma: products, tiers, coupons, redirect domains and checkouts of one business. Each of
// them alone is also found by the marketplace of its seller.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { createReads, type Reads, visibleTo, type Without, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { RedirectDomain } from '#core/billing/catalogue.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { INTENT_OMIT, PRODUCT_OMIT } from './catalogue-store.ts'
import { countUses } from './coupon-store.ts'
import { COUPONS, PRODUCTS, REDIRECT_DOMAINS, SUBSCRIPTION_INTENTS, TIERS } from './tables.ts'

const ownOf = (tenant: Tenant) => ({ listed: { accountId: tenant.accountId }, visible: visibleTo(tenant) })

export type ProductReads = Reads<
  Without<Prisma.SubscriptionProductFindManyArgs>,
  Without<Prisma.SubscriptionProductFindUniqueArgs>,
  Product
>

export const createProductReads = (
  { subscriptionProduct }: Pick<PrismaClient, 'subscriptionProduct'>,
  tenant: Tenant,
): ProductReads =>
  createReads({
    ...ownOf(tenant),
    notFound: 'product_not_found',
    rows: (AND, args) => subscriptionProduct.findMany({ ...args, where: { AND }, omit: PRODUCT_OMIT }),
    read: (rows) => rows.map(PRODUCTS.fromRow),
  })

/** With its product where `include` names it. */
type ReadTier = Tier & { readonly product?: Product }

export type TierReads = Reads<
  WithoutColumns<Prisma.SubscriptionTierFindManyArgs>,
  WithoutColumns<Prisma.SubscriptionTierFindUniqueArgs>,
  ReadTier
>

export const createTierReads = (
  { subscriptionTier }: Pick<PrismaClient, 'subscriptionTier'>,
  tenant: Tenant,
): TierReads =>
  createReads({
    ...ownOf(tenant),
    notFound: 'tier_not_found',
    rows: (AND, { include, ...args }) =>
      subscriptionTier.findMany({
        ...args,
        where: { AND },
        include: { product: include?.product ? { omit: PRODUCT_OMIT } : false },
      }),
    read: (rows) => rows.map(readTier),
  })

const readTier = (row: object & { readonly product?: object | undefined }): ReadTier => ({
  ...TIERS.fromRow(row),
  ...(row.product !== undefined && { product: PRODUCTS.fromRow(row.product) }),
})

/** A coupon whose uses are counted when they are read. */
export type ReadCoupon = Coupon & { readonly uses: number | (() => Promise<number>) }

export type CouponReads = Reads<
  Without<Prisma.SubscriptionCouponFindManyArgs>,
  Without<Prisma.SubscriptionCouponFindUniqueArgs>,
  ReadCoupon
>

export const createCouponReads = (
  prisma: Pick<PrismaClient, 'subscriptionCoupon' | '$queryRawUnsafe'>,
  tenant: Tenant,
): CouponReads =>
  createReads({
    ...ownOf(tenant),
    notFound: 'coupon_not_found',
    rows: (AND, args) => prisma.subscriptionCoupon.findMany({ ...args, where: { AND } }),
    read(rows) {
      const coupons = rows.map(COUPONS.fromRow)
      /** The uses of all are counted together, and only when one is asked for its own. */
      let counts: Promise<readonly number[]> | null = null
      return coupons.map((coupon, at) => ({
        ...coupon,
        async uses() {
          counts ??= countUses(prisma, coupons)
          return (await counts)[at] ?? 0
        },
      }))
    },
  })

export type DomainReads = Reads<
  Without<Prisma.RedirectDomainFindManyArgs>,
  Without<Prisma.RedirectDomainFindUniqueArgs>,
  RedirectDomain
>

export const createDomainReads = (
  { redirectDomain }: Pick<PrismaClient, 'redirectDomain'>,
  tenant: Tenant,
): DomainReads =>
  createReads({
    ...ownOf(tenant),
    notFound: 'domain_not_found',
    rows: (AND, args) => redirectDomain.findMany({ ...args, where: { AND } }),
    read: (rows) => rows.map(REDIRECT_DOMAINS.fromRow),
  })

/** With its tier, and the product of the tier, where `include` names the tier. */
type ReadIntent = SubscriptionIntent & { readonly tier?: Tier }

export type SubscriptionIntentReads = Reads<
  WithoutColumns<Prisma.SubscriptionIntentFindManyArgs>,
  WithoutColumns<Prisma.SubscriptionIntentFindUniqueArgs>,
  ReadIntent
>

export const createSubscriptionIntentReads = (
  { subscriptionIntent }: Pick<PrismaClient, 'subscriptionIntent'>,
  tenant: Tenant,
): SubscriptionIntentReads =>
  createReads({
    ...ownOf(tenant),
    notFound: 'intent_not_found',
    rows: (AND, { include, ...args }) =>
      subscriptionIntent.findMany({ ...args, where: { AND }, omit: INTENT_OMIT, ...withTier(include) }),
    read: (rows) => rows.map(readIntent),
  })

/** Reads a tier whole, with its product. */
export const withTier = (include: Pick<Prisma.SubscriptionIntentInclude, 'tier'> | null | undefined) =>
  ({ include: { tier: include?.tier ? { include: { product: { omit: PRODUCT_OMIT } } } : false } }) as const

/** Returns the tier of a row that was read `withTier`, for the object that has it. */
export const tierOf = ({ tier }: { readonly tier?: object | undefined }): { readonly tier?: Tier } =>
  tier === undefined ? {} : { tier: readTier(tier) }

const readIntent = (row: object & { readonly tier?: object | undefined }): ReadIntent => ({
  ...SUBSCRIPTION_INTENTS.fromRow(row),
  ...tierOf(row),
})
