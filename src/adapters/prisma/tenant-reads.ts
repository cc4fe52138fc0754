// What an edge can read with Prisma: the rows of one business. No edge gets the client itself, so a query that names no
// tenant does not compile. Each row is decoded once, to the same shape that services return.

import { createFigureReads, type FigureReads } from '#adapters/prisma/billing/figure-reads.ts'
import {
  type ChargeReads,
  createChargeReads,
  createSubscriptionReads,
  type ReadCharge,
  type SubscriptionReads,
} from '#adapters/prisma/billing/subscription-reads.ts'
import {
  createDeliveryReads,
  createEndpointReads,
  type DeliveryReads,
  type EndpointReads,
} from '#adapters/prisma/events/webhook-reads.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import type PrismaTypes from '#adapters/prisma/generated/pothos-types.ts'
import { createMarketplaceReads, type MarketplaceReads } from '#adapters/prisma/marketplace/marketplace-reads.ts'
import { intentFromPrisma, type PrismaIntentRow, UNREAD } from '#adapters/prisma/payments/intent-columns.ts'
import { createSearchReads, type SearchReads } from '#adapters/prisma/payments/search-reads.ts'
import { found } from '#adapters/prisma/reading.ts'
import { createRefundReads, type RefundReads } from '#adapters/prisma/refunds/refund-reads.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { AuditEntry } from '#core/accounts/audit.ts'
import type { RedirectDomain } from '#core/billing/catalogue.ts'
import type { Product } from '#core/billing/product.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Delivery } from '#core/events/delivery.ts'
import type { WebhookEndpoint } from '#core/events/endpoint.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Refund } from '#core/refunds/refund.ts'
import { mapInSteps } from '#lib/steps.ts'
import { inGroups } from '#lib/values.ts'
import {
  type CouponReads,
  createCouponReads,
  createDomainReads,
  createProductReads,
  createSubscriptionIntentReads,
  createTierReads,
  type DomainReads,
  type ProductReads,
  type ReadCoupon,
  type SubscriptionIntentReads,
  type TierReads,
} from './billing/catalogue-reads.ts'
import { createRequestReads, type RequestReads } from './platform/request-log-store.ts'

/** What a model is decoded to. Any other model is read as Prisma gives it. An account is read as a seller only. */
type Decoded = {
  readonly Account: Seller
  readonly AuditEntry: AuditEntry
  readonly BillingSubscription: BillingSubscription
  readonly Charge: ReadCharge
  readonly PaymentIntent: PaymentIntent
  readonly RedirectDomain: RedirectDomain
  readonly Refund: Refund
  readonly SubscriptionCoupon: ReadCoupon
  readonly SubscriptionIntent: SubscriptionIntent
  readonly SubscriptionProduct: Product
  readonly SubscriptionTier: Tier
  readonly WebhookDelivery: Delivery
  readonly WebhookEndpoint: WebhookEndpoint
}

/** The models of plugin-prisma, with the shapes that resolvers get. */
export type Models = {
  [Name in keyof PrismaTypes]: Name extends keyof Decoded
    ? Omit<PrismaTypes[Name], 'Shape'> & { Shape: Decoded[Name] }
    : PrismaTypes[Name]
}

/** Columns are not selected: a payment is read whole. */
type Without<Args> = Omit<Args, 'select' | 'omit'>

/** The reads of plugin-prisma, each confined to the tenant. They have the shape of a Prisma client. */
export type TenantReads = MarketplaceReads & {
  readonly paymentIntent: SearchReads & {
    findMany(args: Without<Prisma.PaymentIntentFindManyArgs>): Promise<PaymentIntent[]>
    findUnique(args: Without<Prisma.PaymentIntentFindUniqueArgs>): Promise<PaymentIntent | null>
    /** Throws `intent_not_found`. */
    findUniqueOrThrow(args: Without<Prisma.PaymentIntentFindUniqueOrThrowArgs>): Promise<PaymentIntent>
  }
  readonly billingSubscription: SubscriptionReads
  readonly charge: ChargeReads
  readonly redirectDomain: DomainReads
  readonly refund: RefundReads
  readonly subscriptionCoupon: CouponReads
  readonly subscriptionFigures: FigureReads
  readonly subscriptionIntent: SubscriptionIntentReads
  readonly subscriptionProduct: ProductReads
  readonly subscriptionTier: TierReads
  readonly apiRequest: RequestReads
  readonly webhookDelivery: DeliveryReads
  readonly webhookEndpoint: EndpointReads
  $connect(): Promise<void>
}

type IntentDelegate = Pick<PrismaClient['paymentIntent'], 'findMany' | 'findUnique'>

export function createTenantReads(
  prisma: { readonly paymentIntent: IntentDelegate } & Pick<
    PrismaClient,
    | 'account'
    | 'auditEntry'
    | 'billingSubscription'
    | 'charge'
    | 'redirectDomain'
    | 'refund'
    | 'subscriptionCoupon'
    | 'subscriptionIntent'
    | 'subscriptionProduct'
    | 'subscriptionTier'
    | 'transfer'
    | 'apiRequest'
    | 'webhookDelivery'
    | 'webhookEndpoint'
    | '$queryRawUnsafe'
  >,
): (tenant: Tenant) => TenantReads {
  return (tenant) => {
    const visible: Prisma.PaymentIntentWhereInput = {
      network: tenant.network,
      OR: [{ accountId: tenant.accountId }, { callerAccountId: tenant.accountId }],
    }
    const findUnique = async ({ where, ...args }: Without<Prisma.PaymentIntentFindUniqueArgs>) => {
      const confined = { ...where, AND: [visible, ...conditions(where.AND)] }
      const row = await prisma.paymentIntent.findUnique({ ...args, omit: UNREAD, where: confined })
      return row === null ? null : decoded(row, args.include)
    }
    /** Reads the lists below rows for a few rows at a time: Prisma puts together all that it reads in one turn of the event loop. */
    const withLists = async (rows: readonly PrismaIntentRow[], lists: Prisma.PaymentIntentInclude) => {
      const whole: PrismaIntentRow[] = []
      for (const group of inGroups(rows, LISTS_AT_ONCE)) {
        const where = { id: { in: group.map(({ id }) => id) } }
        const found = await prisma.paymentIntent.findMany({ where, select: { id: true, ...lists } })
        const below = new Map(found.map((row) => [row.id, row]))
        whole.push(...group.map((row) => ({ ...row, ...below.get(row.id) })))
      }
      return whole
    }
    const paymentIntent: TenantReads['paymentIntent'] = {
      ...createSearchReads(prisma, tenant),
      async findMany({ where, include, ...args }) {
        const confined = { ...args, omit: UNREAD, where: { AND: [visible, where ?? {}] } }
        const { lists, others } = relationsOf(include)
        const apart = lists !== null && Math.abs(args.take ?? Number.POSITIVE_INFINITY) > LISTS_AT_ONCE
        const included = apart ? others : include
        const rows = await prisma.paymentIntent.findMany({ ...confined, ...(included && { include: included }) })
        return await mapInSteps(apart ? await withLists(rows, lists) : rows, STEP, (row) => decoded(row, include))
      },
      findUnique,
      findUniqueOrThrow: async (args) => found(await findUnique(args), 'intent_not_found'),
    }
    return {
      ...createMarketplaceReads(prisma, tenant, paymentIntent.findMany),
      paymentIntent,
      billingSubscription: createSubscriptionReads(prisma, tenant),
      charge: createChargeReads(prisma, tenant),
      redirectDomain: createDomainReads(prisma, tenant),
      refund: createRefundReads(prisma, tenant),
      subscriptionCoupon: createCouponReads(prisma, tenant),
      subscriptionFigures: createFigureReads(prisma, tenant),
      subscriptionIntent: createSubscriptionIntentReads(prisma, tenant),
      subscriptionProduct: createProductReads(prisma, tenant),
      subscriptionTier: createTierReads(prisma, tenant),
      apiRequest: createRequestReads(prisma, tenant),
      webhookDelivery: createDeliveryReads(prisma, tenant),
      webhookEndpoint: createEndpointReads(prisma, tenant),
      $connect: () => Promise.resolve(),
    }
  }
}

/** Payments whose lists are read together. */
const LISTS_AT_ONCE = 20

/** Separates the lists that are asked for from the other relations. Either is null when none is asked for. */
function relationsOf(include: Prisma.PaymentIntentInclude | null | undefined) {
  const { deposits, transfers, events, ...others } = include ?? {}
  const lists = { ...(deposits && { deposits }), ...(transfers && { transfers }), ...(events && { events }) }
  const orNull = <Relations extends object>(relations: Relations) =>
    Object.keys(relations).length > 0 ? relations : null
  return { lists: orNull(lists), others: orNull(others) }
}

/** Payments of a page that are decoded in one turn of the event loop. A payment has up to 60 entries in its lists. */
const STEP = 2

/** Returns the payment of a row, with the rows of the relations that were included. */
function decoded(row: PrismaIntentRow, include: Prisma.PaymentIntentInclude | null | undefined): PaymentIntent {
  const relations = Object.entries(row).filter(([name]) => include && name in include)
  return { ...intentFromPrisma(row), ...Object.fromEntries(relations) }
}

const conditions = (and: Prisma.PaymentIntentWhereUniqueInput['AND']): Prisma.PaymentIntentWhereInput[] =>
  and === undefined ? [] : Array.isArray(and) ? and : [and]
