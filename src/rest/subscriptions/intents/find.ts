import { z } from 'zod'
import { RestFindSubscriptionIntentDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const findSubscriptionIntent = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-intents/:id',
  document: RestFindSubscriptionIntentDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ intent }) => ({ body: intent }),
})
