// The checkouts that an edge can read with Prisma: those of one business. A single checkout is also found by the marketplace
// of its seller.
import { INTENT_OMIT } from '#adapters/prisma/billing/intent-store.ts'
import { PRODUCT_OMIT } from '#adapters/prisma/billing/product-row.ts'
import { readTier } from '#adapters/prisma/billing/tier-reads.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, visibleTo, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { SUBSCRIPTION_INTENTS } from './tables.ts'

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
      ...relations(include),
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
        ...relations(include),
      })
      return rows.map(readIntent)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'intent_not_found'),
  }
}

/** Reads a tier whole, with its product. */
const relations = (include: Prisma.SubscriptionIntentInclude | null | undefined) =>
  ({ include: { tier: include?.tier ? { include: { product: { omit: PRODUCT_OMIT } } } : false } }) as const

const readIntent = (row: object & { readonly tier?: object | undefined }): ReadIntent => ({
  ...SUBSCRIPTION_INTENTS.fromRow(row),
  ...(row.tier !== undefined && { tier: readTier(row.tier) }),
})
