// Reads a page of payments, the newest first, as each list of payments gives it.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { SearchedList } from '#core/marketplace/payment-search.ts'
import type { Search } from '#core/marketplace/search.ts'
import { builder } from '#graphql/builder.ts'
import type { Context } from '#graphql/context.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/lists-below.ts'
import { connectionNames, connectionOf, inSteps, type PageArguments, requirePage } from '#graphql/page.ts'
import { findSearched } from '#graphql/payments/find-searched.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { beyondPayment, paymentPositions } from '#graphql/payments/positions.ts'

const [connection, edge] = connectionNames('PaymentIntent')

export const PaymentIntentEdge = builder.edgeObject({ type: PaymentIntentNode, ...edge })
export const PaymentIntentConnection = builder.connectionObject(
  { type: PaymentIntentNode, ...connection },
  PaymentIntentEdge,
)

type PaymentList = {
  readonly tenant: Tenant
  readonly args: PageArguments
  /** The list and its filter: a cursor serves no other list, filter or tenant. */
  readonly name: string
  readonly filter: object | null
  readonly where: Prisma.PaymentIntentWhereInput
  /** null when every payment of `where` matches. */
  readonly search: PaymentSearch | null
}

/** A search, and the list that `where` says, which is one of payments for sellers. */
export type PaymentSearch = { readonly search: Search; readonly list: Omit<SearchedList, keyof Direction> }
type Direction = Pick<SearchedList, 'olderThan' | 'newerThan' | 'order'>

/** Throws `invalid_request` on the arguments of a page, and on pages below its payments that are too large. */
export async function readPaymentPage(
  context: Context,
  info: GraphQLResolveInfo,
  { tenant, args, name, filter, where, search }: PaymentList,
) {
  requirePage(args)
  requireSinglePages(info, ['edges', 'node'], 'payments')
  const scope = JSON.stringify([name, tenant.network, tenant.accountId, filter])
  const query = await queryFromInfo({ context, info, typeName: 'PaymentIntent', path: ['edges', 'node'] })
  requireSmallPages(query, 'payments')
  const { positionOf, toCursor } = paymentPositions(context, scope)
  const connection = await connectionOf(args, toCursor, ({ after, before, limit, inverted }) => {
    const order = inverted ? 'asc' : 'desc'
    const [olderThan, newerThan] = [positionOf('after', after), positionOf('before', before)]
    const sides = [beyondPayment('lt', olderThan), beyondPayment('gt', newerThan)]
    const { paymentIntent } = context.reads(tenant)
    const orderBy = [{ createdAt: order }, { id: order }] as const
    const page = { ...query, where: { AND: [where, ...sides] }, orderBy: [...orderBy], take: limit }
    if (search === null) return paymentIntent.findMany(page)
    return findSearched(paymentIntent, page, search.search, { ...search.list, olderThan, newerThan, order })
  })
  return { ...connection, edges: inSteps(connection.edges) }
}
