// The catalogue of a business, as an edge reads it with Prisma.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, visibleTo, type Without, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { RedirectDomain } from '#core/billing/catalogue.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { INTENT_OMIT, PRODUCT_OMIT } from './catalogue-store.ts'
import { countUses } from './coupon-store.ts'
import { COUPONS, PRODUCTS, REDIRECT_DOMAINS, SUBSCRIPTION_INTENTS, TIERS } from './tables.ts'

// The products that an edge can read with Prisma: those of one business. A single product is also found by the marketplace
// of its seller.

export type ProductReads = {
  findMany(args: Without<Prisma.SubscriptionProductFindManyArgs>): Promise<Product[]>
  findUnique(args: Without<Prisma.SubscriptionProductFindUniqueArgs>): Promise<Product | null>
  /** Throws `product_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.SubscriptionProductFindUniqueOrThrowArgs>): Promise<Product>
}

export function createProductReads(
  { subscriptionProduct }: Pick<PrismaClient, 'subscriptionProduct'>,
  tenant: Tenant,
): ProductReads {
  const findUnique: ProductReads['findUnique'] = async ({ where }) => {
    const row = await subscriptionProduct.findFirst({
      where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] },
      omit: PRODUCT_OMIT,
    })
    return row === null ? null : PRODUCTS.fromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId } = tenant
      const confined = { AND: [{ accountId }, where ?? {}] }
      const rows = await subscriptionProduct.findMany({ ...args, where: confined, omit: PRODUCT_OMIT })
      return rows.map(PRODUCTS.fromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'product_not_found'),
  }
}

// The tiers that an edge can read with Prisma: those of one business. A single tier is also found by the marketplace of its
// seller.

/** With its product where `include` names it. */
type ReadTier = Tier & { readonly product?: Product }

export type TierReads = {
  findMany(args: WithoutColumns<Prisma.SubscriptionTierFindManyArgs>): Promise<ReadTier[]>
  findUnique(args: WithoutColumns<Prisma.SubscriptionTierFindUniqueArgs>): Promise<ReadTier | null>
  /** Throws `tier_not_found`. */
  findUniqueOrThrow(args: WithoutColumns<Prisma.SubscriptionTierFindUniqueOrThrowArgs>): Promise<ReadTier>
}

export function createTierReads(
  { subscriptionTier }: Pick<PrismaClient, 'subscriptionTier'>,
  tenant: Tenant,
): TierReads {
  const findUnique: TierReads['findUnique'] = async ({ where, include }) => {
    const row = await subscriptionTier.findFirst({
      where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] },
      ...withProduct(include),
    })
    return row === null ? null : readTier(row)
  }
  return {
    async findMany({ where, include, ...args }) {
      const { accountId } = tenant
      const confined = { AND: [{ accountId }, where ?? {}] }
      const rows = await subscriptionTier.findMany({ ...args, where: confined, ...withProduct(include) })
      return rows.map(readTier)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'tier_not_found'),
  }
}

/** Reads a product whole. */
const withProduct = (include: Prisma.SubscriptionTierInclude | null | undefined) =>
  ({ include: { product: include?.product ? { omit: PRODUCT_OMIT } : false } }) as const

const readTier = (row: object & { readonly product?: object | undefined }): ReadTier => ({
  ...TIERS.fromRow(row),
  ...(row.product !== undefined && { product: PRODUCTS.fromRow(row.product) }),
})

// The coupons that an edge can read with Prisma: those of one business, with their uses. A single coupon is also found by the
// marketplace of its seller.

/** A coupon whose uses are counted when they are read. */
export type ReadCoupon = Coupon & { readonly uses: number | (() => Promise<number>) }

export type CouponReads = {
  findMany(args: Without<Prisma.SubscriptionCouponFindManyArgs>): Promise<ReadCoupon[]>
  findUnique(args: Without<Prisma.SubscriptionCouponFindUniqueArgs>): Promise<ReadCoupon | null>
  /** Throws `coupon_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.SubscriptionCouponFindUniqueOrThrowArgs>): Promise<ReadCoupon>
}

export function createCouponReads(
  prisma: Pick<PrismaClient, 'subscriptionCoupon' | '$queryRawUnsafe'>,
  tenant: Tenant,
): CouponReads {
  /** The uses of all are counted together, and only when one is asked for its own. */
  const withUses = (coupons: readonly Coupon[]): ReadCoupon[] => {
    let counts: Promise<readonly number[]> | null = null
    return coupons.map((coupon, at) => ({
      ...coupon,
      async uses() {
        counts ??= countUses(prisma, coupons)
        return (await counts)[at] ?? 0
      },
    }))
  }
  const findUnique: CouponReads['findUnique'] = async ({ where }) => {
    const row = await prisma.subscriptionCoupon.findFirst({
      where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] },
    })
    const [coupon] = withUses(row === null ? [] : [COUPONS.fromRow(row)])
    return coupon ?? null
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId } = tenant
      const confined = { AND: [{ accountId }, where ?? {}] }
      const rows = await prisma.subscriptionCoupon.findMany({ ...args, where: confined })
      return withUses(rows.map(COUPONS.fromRow))
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'coupon_not_found'),
  }
}

// The redirect domains that an edge can read with Prisma: those of one business. A single domain is also found by the
// marketplace of its seller.

export type DomainReads = {
  findMany(args: Without<Prisma.RedirectDomainFindManyArgs>): Promise<RedirectDomain[]>
  findUnique(args: Without<Prisma.RedirectDomainFindUniqueArgs>): Promise<RedirectDomain | null>
  /** Throws `domain_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.RedirectDomainFindUniqueOrThrowArgs>): Promise<RedirectDomain>
}

export function createDomainReads(
  { redirectDomain }: Pick<PrismaClient, 'redirectDomain'>,
  tenant: Tenant,
): DomainReads {
  const findUnique: DomainReads['findUnique'] = async ({ where }) => {
    const row = await redirectDomain.findFirst({ where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] } })
    return row === null ? null : REDIRECT_DOMAINS.fromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId } = tenant
      const rows = await redirectDomain.findMany({ ...args, where: { AND: [{ accountId }, where ?? {}] } })
      return rows.map(REDIRECT_DOMAINS.fromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'domain_not_found'),
  }
}

// The checkouts that an edge can read with Prisma: those of one business. A single checkout is also found by the marketplace
// of its seller.

/** With its tier, and the product of the tier, where `include` names the tier. */
type ReadIntent = SubscriptionIntent & { readonly tier?: Tier }

export type SubscriptionIntentReads = {
  findMany(args: WithoutColumns<Prisma.SubscriptionIntentFindManyArgs>): Promise<ReadIntent[]>
  findUnique(args: WithoutColumns<Prisma.SubscriptionIntentFindUniqueArgs>): Promise<ReadIntent | null>
  /** Throws `intent_not_found`. */
  findUniqueOrThrow(args: WithoutColumns<Prisma.SubscriptionIntentFindUniqueOrThrowArgs>): Promise<ReadIntent>
}

export function createSubscriptionIntentReads(
  { subscriptionIntent }: Pick<PrismaClient, 'subscriptionIntent'>,
  tenant: Tenant,
): SubscriptionIntentReads {
  const findUnique: SubscriptionIntentReads['findUnique'] = async ({ where, include }) => {
    const row = await subscriptionIntent.findFirst({
      where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] },
      omit: INTENT_OMIT,
      ...withTier(include),
    })
    return row === null ? null : readIntent(row)
  }
  return {
    async findMany({ where, include, ...args }) {
      const { accountId } = tenant
      const confined = { AND: [{ accountId }, where ?? {}] }
      const rows = await subscriptionIntent.findMany({
        ...args,
        where: confined,
        omit: INTENT_OMIT,
        ...withTier(include),
      })
      return rows.map(readIntent)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'intent_not_found'),
  }
}

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
