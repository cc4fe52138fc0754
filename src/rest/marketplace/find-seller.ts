import { z } from 'zod'
import { RestFindSellerDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'

export const findSeller = marketplaceEndpoint({
  method: 'GET',
  path: '/marketplace/sellers/:id',
  document: RestFindSellerDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }) => ({ id }),
  reply: ({ seller }) => ({ body: seller }),
})
