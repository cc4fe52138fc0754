import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestArchiveSubscriptionProductDocument } from '#rest/documents.generated.ts'

export const archiveProduct = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-products/:id/archive',
  document: RestArchiveSubscriptionProductDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ product }) => ({ body: product }),
})
