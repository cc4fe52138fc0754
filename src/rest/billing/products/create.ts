import { z } from 'zod'
import { body } from '#http/input.ts'
import { description, metadata, name } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCreateSubscriptionProductDocument } from '#rest/documents.generated.ts'

export const createProduct = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-products',
  document: RestCreateSubscriptionProductDocument,
  input: body({ name, description, external_id: z.string('invalid_external_id').nullish(), metadata }),
  variables: ({ external_id, ...input }, seller) => ({ ...seller, input: { ...input, externalId: external_id } }),
  reply: ({ result: { product, created } }) => ({ status: created ? 201 : 200, body: product }),
})
