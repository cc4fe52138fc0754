import { z } from 'zod'
import { catalogueStatus, pageParameters, searchParameters } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestSubscriptionProductsDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/page.ts'

export const listProducts = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-products',
  document: RestSubscriptionProductsDocument,
  input: z.object({ ...pageParameters, ...searchParameters, status: catalogueStatus.optional() }),
  variables: ({ limit, cursor, status, search, q }, seller) => ({
    ...seller,
    first: limit,
    after: cursor ?? null,
    filter: { status: status ?? null, search: search ?? q ?? null },
  }),
  reply: ({ products }) => ({ body: { products: nodesOf(products), next_cursor: nextCursor(products) } }),
})
