import { z } from 'zod'
import { RestPauseBillingSubscriptionDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const pauseSubscription = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/pause',
  document: RestPauseBillingSubscriptionDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ subscription }) => ({ body: { subscription } }),
})
