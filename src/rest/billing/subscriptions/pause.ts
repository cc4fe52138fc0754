import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestPauseBillingSubscriptionDocument } from '#rest/documents.generated.ts'

export const pauseSubscription = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/pause',
  document: RestPauseBillingSubscriptionDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
