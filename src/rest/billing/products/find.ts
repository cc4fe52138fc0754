import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestFindSubscriptionProductDocument } from '#rest/documents.generated.ts'

export const findProduct = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-products/:id',
  document: RestFindSubscriptionProductDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ product }) => ({ body: product }),
})
