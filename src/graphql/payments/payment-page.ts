// Reads a page of payments, the newest first, as each list of payments gives it.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Search } from '#core/marketplace/search.ts'
import type { Context } from '#graphql/context.ts'
import { inSteps } from '#graphql/in-steps.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/lists-below.ts'
import { connectionOf, type PageArguments, requirePage } from '#graphql/page.ts'
import { findSearched } from '#graphql/payments/find-searched.ts'
import { beyondPayment, paymentPositions } from '#graphql/payments/positions.ts'

type PaymentList = {
  readonly tenant: Tenant
  readonly args: PageArguments
  /** The list and its filter: a cursor serves no other list, filter or tenant. */
  readonly name: string
  readonly filter: object | null
  readonly where: Prisma.PaymentIntentWhereInput
  /**
   * Null when every payment matches. No payment outside the times (inclusive) is in the list. `isFiltered`: the list is of some
   * sellers or statuses only.
   */
  readonly search: (Search & Times & { readonly isFiltered: boolean }) | null
}

type Times = { readonly from: Date | null; readonly to: Date | null }

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
    const sides = [beyondPayment('lt', positionOf('after', after)), beyondPayment('gt', positionOf('before', before))]
    const { paymentIntent } = context.reads(tenant)
    const orderBy = [{ createdAt: order }, { id: order }] as const
    const page = { ...query, where: { AND: [where, ...sides] }, orderBy: [...orderBy], take: limit }
    if (search === null) return paymentIntent.findMany(page)
    const from = extreme(Math.max, search.from, positionOf('before', before)?.createdAt)
    const to = extreme(Math.min, search.to, positionOf('after', after)?.createdAt)
    return findSearched(paymentIntent, page, { search, isFiltered: search.isFiltered, range: { from, to, order } })
  })
  return { ...connection, edges: inSteps(connection.edges) }
}

/** The latest or the earliest of the times that are given. */
function extreme(of: (...times: number[]) => number, ...times: readonly (Date | null | undefined)[]): Date | null {
  const given = times.flatMap((time) => time?.getTime() ?? [])
  return given.length === 0 ? null : new Date(of(...given))
}
