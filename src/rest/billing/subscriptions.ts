// The subscriptions of a business, their charges, and the allowance that a wallet gave.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { body, text } from '#http/input.ts'
import { billingEndpoint } from '#rest/billing/endpoints.ts'
import { pageParameters } from '#rest/billing/fields.ts'
import {
  type BillingSubscriptionStatus,
  RestBillingSubscriptionsDocument,
  RestCancelBillingSubscriptionDocument,
  RestChangeBillingSubscriptionTierDocument,
  RestChargeBillingSubscriptionNowDocument,
  RestChargeReceiptDocument,
  RestCreatePortalLinkDocument,
  RestFindBillingSubscriptionDocument,
  RestPauseBillingSubscriptionDocument,
  RestResumeBillingSubscriptionDocument,
  RestSubscriptionChargesDocument,
  RestSubscriptionDelegationDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf } from '#rest/endpoints.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  incomplete: 'incomplete',
  trialing: 'trialing',
  active: 'active',
  renewal_required: 'renewal_required',
  past_due: 'past_due',
  paused: 'paused',
  canceled: 'canceled',
  revoked: 'revoked',
  exhausted: 'exhausted',
  failed: 'failed',
} as const satisfies { readonly [Status in BillingSubscriptionStatus]: Status }

export const subscriptionEndpoints: readonly Endpoint[] = [
  billingEndpoint({
    method: 'GET',
    path: '/subscriptions',
    document: RestBillingSubscriptionsDocument,
    input: z.object({
      ...pageParameters,
      status: z.enum(STATUSES, 'invalid_status').optional(),
      tier_id: z.string('invalid_tier_id').optional(),
      subscriber_wallet: text.optional(),
    }),
    variables: ({ limit, cursor, status, tier_id, subscriber_wallet }) => ({
      first: limit,
      after: cursor ?? null,
      filter: { status: status ?? null, tierId: tier_id ?? null, subscriberWallet: subscriber_wallet ?? null },
    }),
    reply: ({ subscriptions }) => ({
      body: { subscriptions: nodesOf(subscriptions), next_cursor: nextCursor(subscriptions) },
    }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscriptions/:id',
    document: RestFindBillingSubscriptionDocument,
    ...BY_ID,
    reply: ({ subscription: { delegation, ...subscription } }) => ({ body: { subscription, delegation } }),
  }),
  billingEndpoint({
    method: 'PATCH',
    path: '/subscriptions/:id',
    document: RestChangeBillingSubscriptionTierDocument,
    input: body({ id: z.string(), tier_id: z.string('invalid_tier_id') }),
    variables: ({ id, tier_id }) => ({ id, tierId: tier_id }),
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscriptions/:id/cancel',
    document: RestCancelBillingSubscriptionDocument,
    input: body({ id: z.string(), at_period_end: z.boolean('must be true or false').default(true) }),
    variables: ({ id, at_period_end }) => ({ id, atPeriodEnd: at_period_end }),
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscriptions/:id/pause',
    document: RestPauseBillingSubscriptionDocument,
    ...BY_ID,
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscriptions/:id/resume',
    document: RestResumeBillingSubscriptionDocument,
    ...BY_ID,
    reply: ({ subscription }) => ({ body: { subscription } }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscriptions/:id/charge-now',
    document: RestChargeBillingSubscriptionNowDocument,
    ...BY_ID,
    reply: ({ subscription }) => ({ status: 202, body: { subscription } }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscriptions/:id/portal-link',
    document: RestCreatePortalLinkDocument,
    ...BY_ID,
    reply: ({ link }) => ({ status: 201, body: link }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscriptions/:id/charges',
    document: RestSubscriptionChargesDocument,
    input: z.object({ ...pageParameters, id: z.string() }),
    variables: ({ id, limit, cursor }) => ({ id, first: limit, after: cursor ?? null }),
    reply: ({ charges }) => ({ body: { charges: nodesOf(charges), next_cursor: nextCursor(charges) } }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/charges/:id/receipt',
    document: RestChargeReceiptDocument,
    ...BY_ID,
    reply: ({ charge }) => ({ body: { ...charge.receipt } }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-delegations/:wallet',
    document: RestSubscriptionDelegationDocument,
    input: z.object({ wallet: z.string() }),
    variables: ({ wallet }) => ({ wallet }),
    reply: ({ delegation: { count, limit, ...delegation }, subscriptions }) => ({
      body: { delegation, subscriptions: nodesOf(subscriptions), count, limit },
    }),
  }),
]
