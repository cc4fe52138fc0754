import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestArchiveSubscriptionTierDocument } from '#rest/documents.generated.ts'

export const archiveTier = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-tiers/:id/archive',
  document: RestArchiveSubscriptionTierDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ tier }) => ({ body: tier }),
})
