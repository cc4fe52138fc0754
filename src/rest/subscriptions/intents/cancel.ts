import { z } from 'zod'
import { RestCancelSubscriptionIntentDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const cancelSubscriptionIntent = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-intents/:id/cancel',
  document: RestCancelSubscriptionIntentDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ intent }) => ({ body: intent }),
})
