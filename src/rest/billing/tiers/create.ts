import { z } from 'zod'
import { body } from '#http/input.ts'
import { count, description, metadata, name } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCreateSubscriptionTierDocument } from '#rest/documents.generated.ts'

export const createTier = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-products/:id/tiers',
  document: RestCreateSubscriptionTierDocument,
  input: body({
    id: z.string(),
    name,
    description,
    price_usd_cents: z.int('invalid_price').positive('invalid_price'),
    interval: z.enum(['day', 'week', 'month', 'year'], 'invalid_interval'),
    interval_count: count('invalid_interval_count').nullish(),
    authorization_periods: count('invalid_authorization_periods').nullish(),
    metadata,
  }),
  variables: ({ id, price_usd_cents, interval_count, authorization_periods, ...input }, seller) => ({
    ...seller,
    productId: id,
    input: {
      ...input,
      priceUsdCents: price_usd_cents,
      intervalCount: interval_count,
      authorizationPeriods: authorization_periods,
    },
  }),
  reply: ({ tier }) => ({ status: 201, body: tier }),
})
