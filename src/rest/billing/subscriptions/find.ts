import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestFindBillingSubscriptionDocument } from '#rest/documents.generated.ts'

export const findSubscription = subscriptionEndpoint({
  method: 'GET',
  path: '/subscriptions/:id',
  document: RestFindBillingSubscriptionDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ subscription: { delegation, ...subscription } }) => ({ body: { subscription, delegation } }),
})
