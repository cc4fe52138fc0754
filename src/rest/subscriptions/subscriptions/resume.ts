import { z } from 'zod'
import { RestResumeBillingSubscriptionDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const resumeSubscription = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/resume',
  document: RestResumeBillingSubscriptionDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
