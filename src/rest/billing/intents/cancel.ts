import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCancelSubscriptionIntentDocument } from '#rest/documents.generated.ts'

export const cancelSubscriptionIntent = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-intents/:id/cancel',
  document: RestCancelSubscriptionIntentDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ intent }) => ({ body: intent }),
})
