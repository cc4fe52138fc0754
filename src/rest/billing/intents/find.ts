import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestFindSubscriptionIntentDocument } from '#rest/documents.generated.ts'

export const findSubscriptionIntent = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-intents/:id',
  document: RestFindSubscriptionIntentDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ intent }) => ({ body: intent }),
})
