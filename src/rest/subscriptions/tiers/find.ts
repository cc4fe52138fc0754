import { z } from 'zod'
import { RestFindSubscriptionTierDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const findTier = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-tiers/:id',
  document: RestFindSubscriptionTierDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ tier }) => ({ body: tier }),
})
