import { z } from 'zod'
import { body } from '#http/input.ts'
import { metadata, seconds } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCreateSubscriptionIntentDocument } from '#rest/documents.generated.ts'

const redirect = z.string('invalid_redirect_url').nullish()

export const createSubscriptionIntent = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-intents',
  document: RestCreateSubscriptionIntentDocument,
  input: body({
    tier_id: z.string('invalid_tier_id'),
    subscriber_wallet: z.string('invalid_subscriber_wallet').nullish(),
    success_url: redirect,
    cancel_url: redirect,
    expires_in: seconds.nullish(),
    metadata,
  }),
  variables: ({ tier_id, subscriber_wallet, success_url, cancel_url, expires_in, metadata }, seller) => ({
    ...seller,
    input: {
      tierId: tier_id,
      subscriberWallet: subscriber_wallet,
      successUrl: success_url,
      cancelUrl: cancel_url,
      expiresIn: expires_in,
      metadata,
    },
  }),
  reply: ({ result: { intent, checkout_url, checkout_token } }) => ({
    status: 201,
    body: { ...intent, checkout_url, checkout_token },
  }),
})
