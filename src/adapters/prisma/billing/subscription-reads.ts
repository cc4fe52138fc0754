// The subscriptions and charges that an edge can read with Prisma: those of one business. A single subscription is also found
// by the marketplace of its seller.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, visibleTo, type Without, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Charge, Waiting } from '#core/billing/charge.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { tierOf, withTier } from './catalogue-reads.ts'
import { CHARGES, SUBSCRIPTIONS } from './tables.ts'

/** With its tier, and the product of the tier, where `include` names the tier. */
type ReadSubscription = BillingSubscription & { readonly tier?: Tier }

export type SubscriptionReads = {
  findMany(args: WithoutColumns<Prisma.BillingSubscriptionFindManyArgs>): Promise<ReadSubscription[]>
  findUnique(args: WithoutColumns<Prisma.BillingSubscriptionFindUniqueArgs>): Promise<ReadSubscription | null>
  /** Throws `subscription_not_found`. */
  findUniqueOrThrow(args: WithoutColumns<Prisma.BillingSubscriptionFindUniqueOrThrowArgs>): Promise<ReadSubscription>
}

/** `waiting`: null while it does not wait for a budget. */
export type ReadCharge = Charge & { readonly waiting: Waiting | null }

export type ChargeReads = {
  findMany(args: Without<Prisma.ChargeFindManyArgs>): Promise<ReadCharge[]>
  findUnique(args: Without<Prisma.ChargeFindUniqueArgs>): Promise<ReadCharge | null>
  /** Throws `subscription_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.ChargeFindUniqueOrThrowArgs>): Promise<ReadCharge>
}

export function createSubscriptionReads(
  { billingSubscription }: Pick<PrismaClient, 'billingSubscription'>,
  tenant: Tenant,
): SubscriptionReads {
  const findUnique: SubscriptionReads['findUnique'] = async ({ where, include }) => {
    const row = await billingSubscription.findFirst({
      where: { AND: [visibleTo(tenant), { id: where.id ?? '' }] },
      ...withTier(include),
    })
    return row === null ? null : readSubscription(row)
  }
  return {
    async findMany({ where, include, ...args }) {
      const { accountId, network } = tenant
      const confined = { AND: [{ accountId, network }, where ?? {}] }
      return (await billingSubscription.findMany({ ...args, where: confined, ...withTier(include) })).map(
        readSubscription,
      )
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'subscription_not_found'),
  }
}

const readSubscription = (row: object & { readonly tier?: object | undefined }): ReadSubscription => ({
  ...SUBSCRIPTIONS.fromRow(row),
  ...tierOf(row),
})

export function createChargeReads(
  { charge, transfer }: Pick<PrismaClient, 'charge' | 'transfer'>,
  tenant: Tenant,
): ChargeReads {
  const withWaiting = async (rows: readonly object[]): Promise<ReadCharge[]> => {
    const charges = rows.map(CHARGES.fromRow)
    const pending = charges.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
    const waits = pending.length === 0 ? [] : await transfer.findMany(waitsOf(pending))
    const until = new Map(waits.map(({ subjectId, nextAttemptAt }) => [subjectId, nextAttemptAt]))
    return charges.map((one) => ({ ...one, waiting: waitingUntil(until.get(one.id)) }))
  }
  const findUnique: ChargeReads['findUnique'] = async ({ where }) => {
    const visible = { subscription: visibleTo(tenant) }
    const row = await charge.findFirst({ where: { AND: [visible, { id: where.id ?? '' }] } })
    const [found] = await withWaiting(row === null ? [] : [row])
    return found ?? null
  }
  return {
    async findMany({ where, ...args }) {
      const { accountId, network } = tenant
      const confined = { AND: [{ accountId, network }, where ?? {}] }
      return await withWaiting(await charge.findMany({ ...args, where: confined }))
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'subscription_not_found'),
  }
}

const waitsOf = (ids: string[]) => ({
  where: { subjectKind: CHARGE, subjectId: { in: ids }, budgetWaitCost: { not: null } },
  select: { subjectId: true, nextAttemptAt: true },
})

const waitingUntil = (until: Date | undefined): Waiting | null =>
  until === undefined ? null : { reason: 'business_budget', until }
