import { z } from 'zod'
import { body, sent } from '#http/input.ts'
import { catalogueStatus, description, immutable, metadata, name } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestUpdateSubscriptionProductDocument } from '#rest/documents.generated.ts'

export const updateProduct = subscriptionEndpoint({
  method: 'PATCH',
  path: '/subscription-products/:id',
  document: RestUpdateSubscriptionProductDocument,
  input: body({
    id: z.string(),
    external_id: immutable('product_field_immutable'),
    name: name.optional(),
    description,
    status: catalogueStatus.optional(),
    metadata,
  }),
  variables: ({ id, external_id: _, ...input }, seller) => ({ ...seller, id, input: sent(input) }),
  reply: ({ product }) => ({ body: product }),
})
