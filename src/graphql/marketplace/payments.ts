// The payments of a marketplace for its sellers, the newest first, in pages. Spec: "Marketplace (API key of a marketplace
// business)".

import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { ServiceError } from '#core/errors.ts'
import type { Seller } from '#core/marketplace/seller.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { type Context, marketplaceOf, uncountedMarketplaceOf } from '#graphql/context.ts'
import { inSteps, MAX_PAGE_BELOW, PAGE_SIZES } from '#graphql/page.ts'
import {
  NODES,
  orderOf,
  type Place,
  pageOf,
  queryOf,
  requireSinglePages,
  requireSmallPages,
  type Side,
} from '#graphql/pages-below.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import {
  ASSET,
  beyondPayment,
  conditionsOf,
  HAS_PROPOSAL,
  havingOf,
  IS_HELD,
  METADATA,
  PaymentIntentConnection,
  PaymentIntentEdge,
  type PaymentSearch,
  REFERENCE,
  readPaymentPage,
  requireMetadata,
  requireRange,
  SEARCH,
  searchOf,
} from '#graphql/payments/payment-page.ts'
import { IntentStatusEnum } from '#graphql/payments/status.ts'
import { isUuid } from '#services/requests.ts'
import { SellerNode } from './sellers.ts'

// The seller that a payment is for, and the asset in which it is paid. Spec: "Marketplace resources".

const SELLER_COLUMNS = { id: true, name: true, externalId: true } as const

type SellerInBrief = { readonly id: string; readonly name: string; readonly externalId: string | null }

const PaymentSeller = builder.objectRef<SellerInBrief>('PaymentSeller').implement({
  description: 'The seller that a payment is for, in brief.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the seller, as REST and webhooks show it.' }),
    name: t.exposeString('name', { description: 'The name of the seller.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The id that the marketplace gave the seller. Null when it gave none.',
    }),
  }),
})

builder.prismaObjectFields(PaymentIntentNode, (t) => ({
  ticker: t.string({
    nullable: true,
    description: 'The ticker of the selected asset. Null until a token is selected.',
    resolve: ({ selection, network }, _args, { services }) =>
      selection === null ? null : services.tokens.tickerOf(network, selection.asset),
  }),
  sellerAccountId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'The id of the seller. Null unless the payment is for a seller.',
    resolve: ({ accountId, callerAccountId }) => (accountId === callerAccountId ? null : accountId),
  }),
  seller: t.field({
    type: PaymentSeller,
    nullable: true,
    description: 'The seller. Null unless the payment is for a seller.',
    select: { account: { select: SELLER_COLUMNS } },
    resolve: ({ accountId, callerAccountId, account }) => (accountId === callerAccountId ? null : account),
  }),
}))

/** Selects the payments that a marketplace takes for its sellers: each has a rate, and belongs to an account of a seller. */
const forSellersOf = ({ accountId }: Tenant): Prisma.PaymentIntentWhereInput => ({
  callerAccountId: accountId,
  accountId: { not: accountId },
  marketplaceFeeBps: { not: null },
})

/**
 * Selects the payments for a seller of the marketplace. The reads confine them to the marketplace; without it as a condition of
 * its own, PostgreSQL can only choose an index of the seller.
 */
const forSeller = ({ id }: Pick<Seller, 'id'>): Prisma.PaymentIntentWhereInput => ({
  accountId: id,
  marketplaceFeeBps: { not: null },
})

const MarketplacePaymentFilter = builder.inputType('MarketplacePaymentFilter', {
  description: 'Which payments to list: those that match every field that is given.',
  fields: (t) => ({
    // Any string, because a text that is no id gets the answer of an id that no seller has.
    sellerId: t.string({ description: 'For this seller.' }),
    status: t.field({ type: [IntentStatusEnum], description: 'Any of these statuses.' }),
    reference: t.field(REFERENCE),
    metadata: t.field(METADATA),
    search: t.field(SEARCH),
    asset: t.field(ASSET),
    isHeld: t.boolean(IS_HELD),
    hasProposal: t.boolean(HAS_PROPOSAL),
    from: t.field({ type: 'DateTimeISO', description: 'Created at this time or later.' }),
    to: t.field({ type: 'DateTimeISO', description: 'Created before this time.' }),
  }),
})

type Filter = typeof MarketplacePaymentFilter.$inferInput

builder.queryField('marketplacePayments', (t) =>
  t.connection(
    {
      type: PaymentIntentNode,
      nullable: true,
      description: `The payments of the marketplace for its sellers, the newest first. ${PAGE_SIZES} ${REFUSED}`,
      args: {
        filter: t.arg({ type: MarketplacePaymentFilter, description: 'Which payments to list. All when left out.' }),
      },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const { tenant } = await marketplaceOf(context, 'marketplace-view')
        const { where, list } = await matching(filter ?? {}, tenant, context)
        const search = searchOf(filter?.search)
        const isSearched = search !== null || list.metadata.length > 0 || list.hasProposal
        return await readPaymentPage(context, info, {
          tenant,
          args,
          name: 'marketplacePayments',
          filter: filter ?? null,
          where,
          search: isSearched ? { search, list } : null,
        })
      },
    },
    PaymentIntentConnection,
    PaymentIntentEdge,
  ),
)

/** The same list, for Prisma and for a search. */
type Listed = { readonly where: Prisma.PaymentIntentWhereInput; readonly list: PaymentSearch['list'] }

/** Throws `invalid_request`, and `seller_not_found` for a seller that is not one of the marketplace. */
async function matching(filter: Filter, tenant: Tenant, context: Context): Promise<Listed> {
  const { status, reference, from, to, sellerId } = filter
  requireRange(from, to)
  const seller = typeof sellerId === 'string' ? await context.services.marketplaces.findSeller(tenant, sellerId) : null
  const having = havingOf(filter)
  const where = {
    ...(seller === null ? forSellersOf(tenant) : forSeller(seller)),
    ...conditionsOf(having),
    ...(status && { status: { in: status } }),
    ...(typeof reference === 'string' && { reference }),
    createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
  }
  const list = {
    ...having,
    isForSellers: true,
    sellerId: seller?.id ?? null,
    statuses: status ? [...new Set(status)] : null,
    reference: reference ?? null,
    metadata: requireMetadata(filter.metadata),
    from: from ?? null,
    to: to ?? null,
  }
  return { where, list }
}

builder.queryField('marketplacePayment', (t) =>
  t.prismaField({
    type: PaymentIntentNode,
    nullable: true,
    description: `Finds a payment of the marketplace for one of its sellers, by its id. ${REFUSED}`,
    // Any string, because a text that is no id gets the answer of an id that no payment has.
    args: { id: t.arg.string({ required: true, description: 'The `uuid` of the payment.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { tenant } = await marketplaceOf(context, 'marketplace-view')
      const { paymentIntent } = context.reads(tenant)
      const payment = isUuid(id)
        ? await paymentIntent.findUnique({ ...query, where: { id, AND: [forSellersOf(tenant)] } })
        : null
      if (payment === null) throw new ServiceError('intent_not_found')
      return payment
    },
  }),
)

// The payments for a seller, in pages. A page of sellers reads them for all of its sellers at once.

const NAME = 'sellerPayments'

/** The seller is the one that the cursor names. Any other seller of the page refuses the cursor. */
const beyond = (side: Side, [at = '', id = '']: Place, accountId: string): Prisma.PaymentIntentWhereInput => ({
  accountId,
  ...beyondPayment(side, { createdAt: new Date(at), id }),
})

builder.prismaObjectFields(SellerNode, (t) => ({
  payments: t.connection(
    {
      type: PaymentIntentNode,
      description: `The payments for the seller, the newest first. ${PAGE_SIZES} In a page of sellers it has at most ${MAX_PAGE_BELOW}.`,
      select: (args, context, nested) => {
        const { inverted, take, where } = queryOf(NAME, args, context, beyond)
        const order = orderOf(inverted)
        const orderBy = [{ createdAt: order }, { id: order }]
        const isLater = where !== undefined && where.AND.length > 0
        const { include } = nested({ take, orderBy }, NODES)
        return { intents: { take, orderBy, ...(isLater && { where }), ...(include && { include }) } }
      },
      resolve: async ({ id, intents }, args, context, info) => {
        uncountedMarketplaceOf(context, 'marketplace-view')
        requireSinglePages(info, NODES, 'payments')
        requireSmallPages(await queryFromInfo({ context, info, typeName: 'PaymentIntent', path: NODES }), 'payments')
        const page = await pageOf(NAME, { id, rows: intents, args }, context, (row) => [
          row.createdAt.toISOString(),
          row.id,
        ])
        return { ...page, edges: inSteps(page.edges) }
      },
    },
    PaymentIntentConnection,
    PaymentIntentEdge,
  ),
}))
