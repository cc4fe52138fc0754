// The payments for the sellers of a marketplace.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { keyText, text, timeParameter } from '#http/input.ts'
import { RestMarketplacePaymentDocument, RestMarketplacePaymentsDocument } from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'
import { marketplacePaymentBody, statuses, withMetadata } from '#rest/payments/payment.ts'

export const marketplacePaymentEndpoints: readonly Endpoint[] = [
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/payments',
    document: RestMarketplacePaymentsDocument,
    input: z
      .looseObject({
        ...pageParameters,
        seller_id: z.string('must be given once').optional(),
        status: statuses.optional(),
        reference: keyText.optional(),
        search: text.optional(),
        from: timeParameter.optional(),
        to: timeParameter.optional(),
      })
      .transform(withMetadata),
    variables: ({ limit, cursor, seller_id, status, reference, search, metadata, from, to }) => ({
      first: limit,
      after: cursor ?? null,
      filter: {
        sellerId: seller_id ?? null,
        status: status ?? null,
        reference: reference ?? null,
        search: search ?? null,
        metadata,
        from: from ?? null,
        to: to ?? null,
      },
    }),
    reply: ({ payments }) => ({
      body: { payments: nodesOf(payments).map(marketplacePaymentBody), next_cursor: nextCursor(payments) },
    }),
  }),
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/payments/:id',
    document: RestMarketplacePaymentDocument,
    ...BY_ID,
    reply: ({ payment }) => ({ body: marketplacePaymentBody(payment) }),
  }),
]
