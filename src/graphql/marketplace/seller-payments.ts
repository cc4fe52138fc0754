// The payments for a seller, in pages. A page of sellers reads them for all of its sellers at once.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { builder } from '#graphql/builder.ts'
import { uncountedMarketplaceOf } from '#graphql/context.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/lists-below.ts'
import { SellerNode } from '#graphql/marketplace/seller.ts'
import { inSteps, MAX_PAGE_BELOW, PAGE_SIZES } from '#graphql/page.ts'
import { NODES, orderOf, type Place, pageOf, queryOf, type Side } from '#graphql/pages-below.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { PaymentIntentConnection, PaymentIntentEdge } from '#graphql/payments/payment-page.ts'
import { beyondPayment } from '#graphql/payments/positions.ts'

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
