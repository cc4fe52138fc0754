import { z } from 'zod'
import { text } from '#http/input.ts'
import { pageParameters } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { type BillingSubscriptionStatus, RestBillingSubscriptionsDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/page.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  incomplete: 'incomplete',
  active: 'active',
  renewal_required: 'renewal_required',
  past_due: 'past_due',
  paused: 'paused',
  canceled: 'canceled',
  revoked: 'revoked',
  exhausted: 'exhausted',
  failed: 'failed',
} as const satisfies { readonly [Status in BillingSubscriptionStatus]: Status }

export const listSubscriptions = subscriptionEndpoint({
  method: 'GET',
  path: '/subscriptions',
  document: RestBillingSubscriptionsDocument,
  input: z.object({
    ...pageParameters,
    status: z.enum(STATUSES, 'invalid_status').optional(),
    tier_id: z.string('invalid_tier_id').optional(),
    subscriber_wallet: text.optional(),
  }),
  variables: ({ limit, cursor, status, tier_id, subscriber_wallet }, seller) => ({
    ...seller,
    first: limit,
    after: cursor ?? null,
    filter: { status: status ?? null, tierId: tier_id ?? null, subscriberWallet: subscriber_wallet ?? null },
  }),
  reply: ({ subscriptions }) => ({
    body: { subscriptions: nodesOf(subscriptions), next_cursor: nextCursor(subscriptions) },
  }),
})
