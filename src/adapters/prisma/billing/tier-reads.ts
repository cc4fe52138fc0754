// The tiers that an edge can read with Prisma: those of one business. A single tier is also found by the marketplace of its
// seller.
import { PRODUCT_OMIT } from '#adapters/prisma/billing/product-row.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, visibleTo, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Product } from '#core/billing/product.ts'
import type { Tier } from '#core/billing/tier.ts'
import { PRODUCTS, TIERS } from './tables.ts'

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
      ...relations(include),
    })
    return row === null ? null : readTier(row)
  }
  return {
    async findMany({ where, include, ...args }) {
      const { accountId } = tenant
      const confined = { AND: [{ accountId }, where ?? {}] }
      const rows = await subscriptionTier.findMany({ ...args, where: confined, ...relations(include) })
      return rows.map(readTier)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'tier_not_found'),
  }
}

/** Reads a product whole. */
const relations = (include: Prisma.SubscriptionTierInclude | null | undefined) =>
  ({ include: { product: include?.product ? { omit: PRODUCT_OMIT } : false } }) as const

export const readTier = (row: object & { readonly product?: object | undefined }): ReadTier => ({
  ...TIERS.fromRow(row),
  ...(row.product !== undefined && { product: PRODUCTS.fromRow(row.product) }),
})
