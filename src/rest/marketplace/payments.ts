// The payments for the sellers of a marketplace.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { text, timeParameter } from '#http/input.ts'
import {
  type IntentStatus,
  RestMarketplacePaymentDocument,
  RestMarketplacePaymentsDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'
import { marketplacePaymentBody } from '#rest/payments/payment.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  pending: 'pending',
  underpaid: 'underpaid',
  paid: 'paid',
  overpaid: 'overpaid',
  settling: 'settling',
  swept: 'swept',
  refunding: 'refunding',
  refunded: 'refunded',
  cancelled: 'cancelled',
  settle_failed: 'settle_failed',
  refund_failed: 'refund_failed',
} as const satisfies { readonly [Status in IntentStatus]: Status }

const NAMES = Object.keys(STATUSES)
const RULE = `must be one or more of ${NAMES.join(', ')}, with commas between them`

/** One status, or several with commas between them. */
const statuses = z
  .string(RULE)
  .transform((list) => list.split(','))
  .pipe(z.array(z.enum(STATUSES, RULE), RULE).max(NAMES.length, `must name at most ${NAMES.length} statuses`))

export const marketplacePaymentEndpoints: readonly Endpoint[] = [
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/payments',
    document: RestMarketplacePaymentsDocument,
    input: z.object({
      ...pageParameters,
      seller_id: z.string('must be given once').optional(),
      status: statuses.optional(),
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
  }),
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/payments/:id',
    document: RestMarketplacePaymentDocument,
    ...BY_ID,
    reply: ({ payment }) => ({ body: marketplacePaymentBody(payment) }),
  }),
]
