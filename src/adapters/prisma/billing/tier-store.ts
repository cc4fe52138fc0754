// Tiers. Every write locks the row of the product first, as a change of the product does.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { SubscriptionTierStore } from '#ports/catalogue.ts'
import { TIERS } from './tables.ts'

export function createSubscriptionTierStore({ prisma }: Pick<Database, 'prisma'>): SubscriptionTierStore {
  return {
    find: (tenant, id) => findTier(prisma, tenant, id),

    create: ({ accountId }, tier) =>
      prisma.$transaction(async (tx) => {
        if (await lockProduct(tx, tier.productId)) return false
        await tx.subscriptionTier.create({ data: { ...tierColumns(tier), accountId } })
        return true
      }),

    change: (tenant, id, decide) =>
      prisma.$transaction(async (tx) => {
        const found = await findTier(tx, tenant, id)
        if (found === null) return null
        const isProductArchived = await lockProduct(tx, found.productId)
        await tx.$queryRaw`SELECT id FROM subscription_tiers WHERE id = ${id}::uuid FOR NO KEY UPDATE`
        const tier = (await findTier(tx, tenant, id)) ?? found
        const next = decide({ tier, isProductArchived })
        if (next !== tier) await tx.subscriptionTier.update({ where: { id }, data: tierColumns(next) })
        return next
      }),
  }
}

const tierColumns = ({ unitBaseUnits, ...tier }: Tier) => ({ ...tier, unitBaseUnits: unitBaseUnits.toString() })

async function findTier(prisma: Pick<Tx, 'subscriptionTier'>, { accountId }: Tenant, id: string): Promise<Tier | null> {
  const row = await prisma.subscriptionTier.findFirst({ where: { id, accountId } })
  return row === null ? null : TIERS.fromRow(row)
}

/** Keeps the product as it is until the transaction ends. Returns whether it is archived. */
async function lockProduct(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ is_archived: boolean }[]>`
    SELECT archived_at IS NOT NULL AS is_archived FROM subscription_products WHERE id = ${id}::uuid FOR SHARE`
  return rows[0]?.is_archived !== false
}
