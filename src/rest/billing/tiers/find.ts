import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestFindSubscriptionTierDocument } from '#rest/documents.generated.ts'

export const findTier = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-tiers/:id',
  document: RestFindSubscriptionTierDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ tier }) => ({ body: tier }),
})
