import { PRODUCT_OMIT, productColumns } from '#adapters/prisma/billing/product-row.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionProductStore } from '#ports/catalogue.ts'
import { PRODUCTS } from './tables.ts'

export function createSubscriptionProductStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionProductStore {
  return {
    find: (tenant, id) => findProduct(prisma, tenant, { id }),
    findByExternalId: (tenant, externalId) => findProduct(prisma, tenant, { externalId }),

    async create(tenant, product) {
      const { count } = await prisma.subscriptionProduct.createMany({
        data: [productColumns(product)],
        skipDuplicates: true,
      })
      if (count === 1) return { product, created: true }
      const stored = await findProduct(prisma, tenant, { externalId: product.externalId })
      if (stored === null) throw new Error('an insert that does nothing has met a stored product')
      return { product: stored, created: false }
    },

    change: (tenant, id, decide) =>
      prisma.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT id FROM subscription_products WHERE id = ${id}::uuid FOR NO KEY UPDATE`
        const product = await findProduct(tx, tenant, { id })
        if (product === null) return null
        const next = decide(product)
        if (next === product) return product
        await tx.subscriptionProduct.update({ where: { id }, data: productColumns(next) })
        await changeTiers(tx, product, next)
        return next
      }),
  }
}

async function findProduct(
  prisma: Pick<Tx, 'subscriptionProduct'>,
  { accountId }: Tenant,
  by: Prisma.SubscriptionProductWhereInput,
): Promise<Product | null> {
  const row = await prisma.subscriptionProduct.findFirst({ where: { ...by, accountId }, omit: PRODUCT_OMIT })
  return row === null ? null : PRODUCTS.fromRow(row)
}

/**
 * Archives the active tiers of a product with it, and makes those tiers active again with it. The tiers that were archived
 * with their product have its time; a tier that was archived by itself stays archived.
 */
async function changeTiers(tx: Tx, before: Product, after: Product): Promise<void> {
  if (before.archivedAt === after.archivedAt) return
  await tx.subscriptionTier.updateMany({
    where: { productId: after.id, archivedAt: before.archivedAt },
    data: { archivedAt: after.archivedAt, updatedAt: after.updatedAt },
  })
}
