import { z } from 'zod'
import { RestFindSubscriptionProductDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const findProduct = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-products/:id',
  document: RestFindSubscriptionProductDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ product }) => ({ body: product }),
})
