import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestResumeBillingSubscriptionDocument } from '#rest/documents.generated.ts'

export const resumeSubscription = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/resume',
  document: RestResumeBillingSubscriptionDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
