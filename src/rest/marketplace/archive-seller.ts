import { z } from 'zod'
import { RestArchiveSellerDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'

export const archiveSeller = marketplaceEndpoint({
  method: 'DELETE',
  path: '/marketplace/sellers/:id',
  document: RestArchiveSellerDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }) => ({ id }),
  reply: ({ seller }) => ({ body: seller }),
})
