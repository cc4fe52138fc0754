// The checkouts that a business opens.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { body } from '#http/input.ts'
import { billingEndpoint } from '#rest/billing/endpoints.ts'
import { metadata, pageParameters, seconds } from '#rest/billing/fields.ts'
import {
  RestCancelSubscriptionIntentDocument,
  RestCreateSubscriptionIntentDocument,
  RestFindSubscriptionIntentDocument,
  RestSubscriptionIntentsDocument,
  type SubscriptionIntentStatus,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf } from '#rest/endpoints.ts'

const redirect = z.string('invalid_redirect_url').nullish()

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  open: 'open',
  completed: 'completed',
  canceled: 'canceled',
  expired: 'expired',
} as const satisfies { readonly [Status in SubscriptionIntentStatus]: Status }

export const subscriptionIntentEndpoints: readonly Endpoint[] = [
  billingEndpoint({
    method: 'POST',
    path: '/subscription-intents',
    document: RestCreateSubscriptionIntentDocument,
    input: body({
      tier_id: z.string('invalid_tier_id'),
      subscriber_wallet: z.string('invalid_subscriber_wallet').nullish(),
      success_url: redirect,
      cancel_url: redirect,
      expires_in: seconds.nullish(),
      coupon: z.string().nullish().describe('The code or the id of a coupon.'),
      metadata,
    }),
    variables: ({ tier_id, subscriber_wallet, success_url, cancel_url, expires_in, coupon, metadata }) => ({
      input: {
        tierId: tier_id,
        subscriberWallet: subscriber_wallet,
        successUrl: success_url,
        cancelUrl: cancel_url,
        expiresIn: expires_in,
        coupon,
        metadata,
      },
    }),
    reply: ({ result: { intent, checkout_url, checkout_token } }) => ({
      status: 201,
      body: { ...intent, checkout_url, checkout_token },
    }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-intents',
    document: RestSubscriptionIntentsDocument,
    input: z.object({
      ...pageParameters,
      status: z.enum(STATUSES, 'invalid_status').optional(),
      tier_id: z.string('invalid_tier_id').optional(),
    }),
    variables: ({ limit, cursor, status, tier_id }) => ({
      first: limit,
      after: cursor ?? null,
      filter: { status: status ?? null, tierId: tier_id ?? null },
    }),
    reply: ({ intents }) => ({ body: { intents: nodesOf(intents), next_cursor: nextCursor(intents) } }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-intents/:id',
    document: RestFindSubscriptionIntentDocument,
    ...BY_ID,
    reply: ({ intent }) => ({ body: intent }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscription-intents/:id/cancel',
    document: RestCancelSubscriptionIntentDocument,
    ...BY_ID,
    reply: ({ intent }) => ({ body: intent }),
  }),
]
