import { z } from 'zod'
import { text, timeParameter } from '#http/input.ts'
import { RestMarketplacePaymentsDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { nextCursor, nodesOf, pageParameters } from '#rest/marketplace/page.ts'
import { statusFilter } from '#rest/marketplace/status-filter.ts'
import { marketplacePaymentBody } from '#rest/payments/present.ts'

export const marketplacePayments = marketplaceEndpoint({
  method: 'GET',
  path: '/marketplace/payments',
  document: RestMarketplacePaymentsDocument,
  input: z.object({
    ...pageParameters,
    seller_id: z.string('must be given once').optional(),
    status: statusFilter.optional(),
    search: text.optional(),
    from: timeParameter.optional(),
    to: timeParameter.optional(),
  }),
  variables: ({ limit, cursor, seller_id, status, search, from, to }) => ({
    first: limit,
    after: cursor ?? null,
    filter: {
      sellerId: seller_id ?? null,
      status: status ?? null,
      search: search ?? null,
      from: from ?? null,
      to: to ?? null,
    },
  }),
  reply: ({ payments }) => ({
    body: { payments: nodesOf(payments).map(marketplacePaymentBody), next_cursor: nextCursor(payments) },
  }),
})
