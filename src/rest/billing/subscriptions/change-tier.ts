import { z } from 'zod'
import { body } from '#http/input.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestChangeBillingSubscriptionTierDocument } from '#rest/documents.generated.ts'

export const changeTier = subscriptionEndpoint({
  method: 'PATCH',
  path: '/subscriptions/:id',
  document: RestChangeBillingSubscriptionTierDocument,
  input: body({ id: z.string(), tier_id: z.string('invalid_tier_id') }),
  variables: ({ id, tier_id }, seller) => ({ ...seller, id, tierId: tier_id }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
