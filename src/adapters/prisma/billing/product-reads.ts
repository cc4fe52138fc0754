// The products that an edge can read with Prisma: those of one business. A single product is also found by the marketplace
// of its seller.
import { PRODUCT_OMIT } from '#adapters/prisma/billing/product-row.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, visibleTo, type Without } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Product } from '#core/billing/product.ts'
import { PRODUCTS } from './tables.ts'

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
