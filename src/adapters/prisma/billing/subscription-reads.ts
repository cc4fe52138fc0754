// The subscriptions and charges that an edge can read with Prisma: those of one business. A single subscription is also found
// by the marketplace of its seller.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { createReads, type Reads, visibleTo, type Without, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Charge, Waiting } from '#core/billing/charge.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { tierOf, withTier } from './catalogue-reads.ts'
import { CHARGES, SUBSCRIPTIONS } from './tables.ts'

/** With its tier, and the product of the tier, where `include` names the tier. */
type ReadSubscription = BillingSubscription & { readonly tier?: Tier }

export type SubscriptionReads = Reads<
  WithoutColumns<Prisma.BillingSubscriptionFindManyArgs>,
  WithoutColumns<Prisma.BillingSubscriptionFindUniqueArgs>,
  ReadSubscription
>

export const createSubscriptionReads = (
  { billingSubscription }: Pick<PrismaClient, 'billingSubscription'>,
  tenant: Tenant,
): SubscriptionReads =>
  createReads({
    listed: { accountId: tenant.accountId, network: tenant.network },
    visible: visibleTo(tenant),
    notFound: 'subscription_not_found',
    rows: (AND, { include, ...args }) =>
      billingSubscription.findMany({ ...args, where: { AND }, ...withTier(include) }),
    read: (rows) => rows.map(readSubscription),
  })

const readSubscription = (row: object & { readonly tier?: object | undefined }): ReadSubscription => ({
  ...SUBSCRIPTIONS.fromRow(row),
  ...tierOf(row),
})

/** `waiting`: null while it does not wait for a budget. */
export type ReadCharge = Charge & { readonly waiting: Waiting | null }

export type ChargeReads = Reads<Without<Prisma.ChargeFindManyArgs>, Without<Prisma.ChargeFindUniqueArgs>, ReadCharge>

export const createChargeReads = (
  { charge, transfer }: Pick<PrismaClient, 'charge' | 'transfer'>,
  tenant: Tenant,
): ChargeReads =>
  createReads({
    listed: { accountId: tenant.accountId, network: tenant.network },
    visible: { subscription: visibleTo(tenant) },
    notFound: 'subscription_not_found',
    rows: (AND, args) => charge.findMany({ ...args, where: { AND } }),
    async read(rows) {
      const charges = rows.map(CHARGES.fromRow)
      const pending = charges.flatMap(({ id, status }) => (status === 'pending' ? [id] : []))
      const waits = pending.length === 0 ? [] : await transfer.findMany(waitsOf(pending))
      const until = new Map(waits.map(({ subjectId, nextAttemptAt }) => [subjectId, nextAttemptAt]))
      return charges.map((one) => ({ ...one, waiting: waitingUntil(until.get(one.id)) }))
    },
  })

const waitsOf = (ids: string[]) => ({
  where: { subjectKind: CHARGE, subjectId: { in: ids }, budgetWaitCost: { not: null } },
  select: { subjectId: true, nextAttemptAt: true },
})

const waitingUntil = (until: Date | undefined): Waiting | null =>
  until === undefined ? null : { reason: 'business_budget', until }
