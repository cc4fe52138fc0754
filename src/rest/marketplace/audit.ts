// Who changed what in a marketplace.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { nameIn } from '#http/input.ts'
import { type AuditAction, RestAuditEntriesDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'

/** The actions by their names in REST. */
const ACTIONS = {
  'marketplace.updated': 'marketplace_updated',
  'seller.created': 'seller_created',
  'seller.updated': 'seller_updated',
  'seller.payout_changed': 'seller_payout_changed',
  'seller.fee_changed': 'seller_fee_changed',
  'seller.archived': 'seller_archived',
  'payment.created': 'payment_created',
  'settlement.leg_waived': 'settlement_leg_waived',
} as const satisfies Readonly<Record<string, AuditAction>>

const action = nameIn(Object.entries(ACTIONS))

export const auditEndpoints: readonly Endpoint[] = [
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/audit',
    document: RestAuditEntriesDocument,
    input: z.object({
      ...pageParameters,
      seller_id: z.string('must be given once').optional(),
      action: action.optional(),
    }),
    variables: ({ limit, cursor, seller_id, action }) => ({
      first: limit,
      after: cursor ?? null,
      filter: { sellerId: seller_id ?? null, action: action ?? null },
    }),
    reply: ({ audit }) => ({
      body: {
        audit: nodesOf(audit).map((entry) => ({ ...entry, action: entry.action.replace('_', '.') })),
        next_cursor: nextCursor(audit),
      },
    }),
  }),
]
