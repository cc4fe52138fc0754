// The subscriptions and charges that an edge can read with Prisma: those of one business. A single subscription is also found
// by the marketplace of its seller.
import { visibleTo, type Without } from '#adapters/prisma/billing/visible.ts'
import { found } from '#adapters/prisma/found.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { CHARGES, SUBSCRIPTIONS } from './tables.ts'

export type SubscriptionReads = {
  findMany(args: Without<Prisma.BillingSubscriptionFindManyArgs>): Promise<BillingSubscription[]>
  findUnique(args: Without<Prisma.BillingSubscriptionFindUniqueArgs>): Promise<BillingSubscription | null>
  /** Throws `subscription_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.BillingSubscriptionFindUniqueOrThrowArgs>): Promise<BillingSubscription>
}

export type ChargeReads = {
  findMany(args: Without<Prisma.ChargeFindManyArgs>): Promise<Charge[]>
  findUnique(args: Without<Prisma.ChargeFindUniqueArgs>): Promise<Charge | null>
  /** Throws `subscription_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.ChargeFindUniqueOrThrowArgs>): Promise<Charge>
}

export function createSubscriptionReads(
  { billingSubscription }: Pick<PrismaClient, 'billingSubscription'>,
  tenant: Tenant,
): SubscriptionReads {
  const findUnique: SubscriptionReads['findUnique'] = async ({ where }) => {
    const row = await billingSubscription.findFirst({ where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] } })
    return row === null ? null : SUBSCRIPTIONS.fromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId, network } = tenant
      const confined = { AND: [{ accountId, network }, where ?? {}] }
      return (await billingSubscription.findMany({ ...args, where: confined })).map(SUBSCRIPTIONS.fromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'subscription_not_found'),
  }
}

export function createChargeReads({ charge }: Pick<PrismaClient, 'charge'>, tenant: Tenant): ChargeReads {
  const findUnique: ChargeReads['findUnique'] = async ({ where }) => {
    const visible = { subscription: visibleTo(tenant) }
    const row = await charge.findFirst({ where: { AND: [visible, { id: where.id ?? '' }] } })
    return row === null ? null : CHARGES.fromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId, network } = tenant
      const confined = { AND: [{ accountId, network }, where ?? {}] }
      return (await charge.findMany({ ...args, where: confined })).map(CHARGES.fromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'subscription_not_found'),
  }
}
