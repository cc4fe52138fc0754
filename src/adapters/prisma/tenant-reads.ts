// What an edge can read with Prisma: the rows of one business. No edge gets the client itself, so a query that names no
// tenant does not compile. Each row is decoded once, to the same shape that services return.
import { createDomainReads, type DomainReads } from '#adapters/prisma/billing/domain-reads.ts'
import { createSubscriptionIntentReads, type SubscriptionIntentReads } from '#adapters/prisma/billing/intent-reads.ts'
import { createProductReads, type ProductReads } from '#adapters/prisma/billing/product-reads.ts'
import {
  type ChargeReads,
  createChargeReads,
  createSubscriptionReads,
  type SubscriptionReads,
} from '#adapters/prisma/billing/subscription-reads.ts'
import { createTierReads, type TierReads } from '#adapters/prisma/billing/tier-reads.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import type PrismaTypes from '#adapters/prisma/generated/pothos-types.ts'
import { createMarketplaceReads, type MarketplaceReads } from '#adapters/prisma/marketplace/marketplace-reads.ts'
import { intentFromPrisma, type PrismaIntentRow } from '#adapters/prisma/payments/intent-columns.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Product } from '#core/billing/product.ts'
import type { RedirectDomain } from '#core/billing/redirect-domain.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import type { AuditEntry } from '#core/marketplace/audit.ts'
import type { Search } from '#core/marketplace/search.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { literal } from '#lib/literal.ts'
import { mapInSteps } from '#lib/steps.ts'

/** What a model is decoded to. Any other model is read as Prisma gives it. An account is read as a seller only. */
type Decoded = {
  readonly Account: Seller
  readonly AuditEntry: AuditEntry
  readonly BillingSubscription: BillingSubscription
  readonly Charge: Charge
  readonly PaymentIntent: PaymentIntent
  readonly RedirectDomain: RedirectDomain
  readonly SubscriptionIntent: SubscriptionIntent
  readonly SubscriptionProduct: Product
  readonly SubscriptionTier: Tier
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
  readonly paymentIntent: {
    /**
     * Returns the ids of the first 200 payments with the text of a search, among the first 2,500 of a range that the business
     * takes for sellers, in order. Returns none when none of the first 300 has the text.
     */
    nextMatches(search: Search, range: SearchedRange): Promise<readonly string[]>
    /**
     * The ids of the first payments of a range that a search finds by the index of parts, of those that the account takes for
     * sellers, in order. `isAll`: there are no others.
     */
    indexedMatches(
      search: Search,
      range: SearchedRange,
    ): Promise<{ readonly ids: readonly string[]; readonly isAll: boolean }>
    findMany(args: Without<Prisma.PaymentIntentFindManyArgs>): Promise<PaymentIntent[]>
    findUnique(args: Without<Prisma.PaymentIntentFindUniqueArgs>): Promise<PaymentIntent | null>
    /** Throws `intent_not_found`. */
    findUniqueOrThrow(args: Without<Prisma.PaymentIntentFindUniqueOrThrowArgs>): Promise<PaymentIntent>
  }
  readonly billingSubscription: SubscriptionReads
  readonly charge: ChargeReads
  readonly redirectDomain: DomainReads
  readonly subscriptionIntent: SubscriptionIntentReads
  readonly subscriptionProduct: ProductReads
  readonly subscriptionTier: TierReads
  $connect(): Promise<void>
}

/** Times of creation, both inclusive, and the direction in which the payments between them are read. */
export type SearchedRange = { readonly from: Date | null; readonly to: Date | null; readonly order: 'asc' | 'desc' }

type IntentDelegate = Pick<PrismaClient['paymentIntent'], 'findMany' | 'findUnique'>

/** Entries that are read one by one for a text that many have. */
const READ_NEXT = 2_500
/** One entry among these must have the text, or the rest is not read. */
const READ_FIRST = 300
/** More than the largest page, so that a filter may refuse some. */
const MOST_MATCHES = 200

/**
 * The condition for a range, whose bounds are the parameters from `first` on. A bound that is left out has no parameter: with
 * one, PostgreSQL takes a prepared plan for dear, and plans each search again.
 */
function inRange({ from, to }: SearchedRange, first: number): string {
  const bounds = [...(from === null ? [] : ['>=']), ...(to === null ? [] : ['<='])]
  return bounds.map((compare, at) => ` AND created_at ${compare} $${at + first}::timestamptz`).join('')
}
const boundsOf = ({ from, to }: SearchedRange): readonly Date[] => [from, to].filter((bound) => bound !== null)

const firstMatches = ({ order }: SearchedRange): string =>
  `ORDER BY created_at ${order}, intent_id ${order} LIMIT ${MOST_MATCHES}`

/** The statement for a range: $1 is the account, $2 the pattern, and the bounds follow. */
function nextMatchesIn(range: SearchedRange): string {
  const { order } = range
  const entries = (limit: number): string => `(
  SELECT intent_id, created_at, text FROM payment_search WHERE caller_account_id = $1::uuid${inRange(range, 3)}
  ORDER BY created_at ${order}, intent_id ${order} LIMIT ${limit}
) entry`
  // Entries are read in the order of their index, up to the last match.
  return `
SELECT intent_id::text AS id FROM ${entries(READ_NEXT)}
WHERE text LIKE $2 AND (SELECT count(*) FROM ${entries(READ_FIRST)} WHERE text LIKE $2) > 0
${firstMatches(range)}`
}

/**
 * The statement for a range: $1 is the account, $2 the pattern, $3 the parts, and the bounds follow. The parts are in a query of
 * their own: PostgreSQL then expects as many matches of a rare text as of any other, and does not plan each search again.
 */
const indexedMatchesIn = (range: SearchedRange): string => `
WITH entry AS MATERIALIZED (
  SELECT intent_id, created_at FROM payment_search
  WHERE caller_account_id = $1::uuid AND parts @> (SELECT $3::text[]) AND text LIKE $2${inRange(range, 4)}
)
SELECT intent_id::text AS id FROM entry ${firstMatches(range)}`

export function createTenantReads(
  prisma: { readonly paymentIntent: IntentDelegate } & Pick<
    PrismaClient,
    | 'account'
    | 'auditEntry'
    | 'billingSubscription'
    | 'charge'
    | 'redirectDomain'
    | 'subscriptionIntent'
    | 'subscriptionProduct'
    | 'subscriptionTier'
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
      const row = await prisma.paymentIntent.findUnique({ ...args, omit: SECRET, where: confined })
      return row === null ? null : decoded(row, args.include)
    }
    const idsOf = async (statement: string, ...parameters: readonly unknown[]): Promise<readonly string[]> => {
      const rows = await prisma.$queryRawUnsafe<{ id: string }[]>(statement, tenant.accountId, ...parameters)
      return rows.map(({ id }) => id)
    }
    const paymentIntent: TenantReads['paymentIntent'] = {
      nextMatches: ({ text }, range) => idsOf(nextMatchesIn(range), patternOf(text), ...boundsOf(range)),
      async indexedMatches({ text, parts }, range) {
        const ids = await idsOf(indexedMatchesIn(range), patternOf(text), parts, ...boundsOf(range))
        return { ids, isAll: ids.length < MOST_MATCHES }
      },
      async findMany({ where, ...args }) {
        const confined = { AND: [visible, where ?? {}] }
        const rows = await prisma.paymentIntent.findMany({ ...args, omit: SECRET, where: confined })
        return await mapInSteps(rows, STEP, (row) => decoded(row, args.include))
      },
      findUnique,
      async findUniqueOrThrow(args) {
        const intent = await findUnique(args)
        if (intent === null) throw new ServiceError('intent_not_found')
        return intent
      },
    }
    return {
      ...createMarketplaceReads(prisma, tenant, paymentIntent.findMany),
      paymentIntent,
      billingSubscription: createSubscriptionReads(prisma, tenant),
      charge: createChargeReads(prisma, tenant),
      redirectDomain: createDomainReads(prisma, tenant),
      subscriptionIntent: createSubscriptionIntentReads(prisma, tenant),
      subscriptionProduct: createProductReads(prisma, tenant),
      subscriptionTier: createTierReads(prisma, tenant),
      $connect: () => Promise.resolve(),
    }
  }
}

const patternOf = (text: string): string => `%${literal(text)}%`

/** Payments of a page that are decoded in one turn of the event loop. A payment has up to 60 entries in its lists. */
const STEP = 5

const SECRET = { clientSecretHash: true } as const

/** Returns the payment of a row, with the rows of the relations that were included. */
function decoded(row: PrismaIntentRow, include: Prisma.PaymentIntentInclude | null | undefined): PaymentIntent {
  const relations = Object.entries(row).filter(([name]) => include && name in include)
  return { ...intentFromPrisma(row), ...Object.fromEntries(relations) }
}

const conditions = (and: Prisma.PaymentIntentWhereUniqueInput['AND']): Prisma.PaymentIntentWhereInput[] =>
  and === undefined ? [] : Array.isArray(and) ? and : [and]
