import { z } from 'zod'
import { pageParameters } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestSubscriptionIntentsDocument, type SubscriptionIntentStatus } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/page.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  open: 'open',
  completed: 'completed',
  canceled: 'canceled',
  expired: 'expired',
} as const satisfies { readonly [Status in SubscriptionIntentStatus]: Status }

export const listSubscriptionIntents = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-intents',
  document: RestSubscriptionIntentsDocument,
  input: z.object({
    ...pageParameters,
    status: z.enum(STATUSES, 'invalid_status').optional(),
    tier_id: z.string('invalid_tier_id').optional(),
  }),
  variables: ({ limit, cursor, status, tier_id }, seller) => ({
    ...seller,
    first: limit,
    after: cursor ?? null,
    filter: { status: status ?? null, tierId: tier_id ?? null },
  }),
  reply: ({ intents }) => ({ body: { intents: nodesOf(intents), next_cursor: nextCursor(intents) } }),
})
