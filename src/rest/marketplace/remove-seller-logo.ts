import { z } from 'zod'
import { RestRemoveSellerLogoDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'

export const removeSellerLogo = marketplaceEndpoint({
  method: 'DELETE',
  path: '/marketplace/sellers/:id/logo',
  document: RestRemoveSellerLogoDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }) => ({ id }),
  reply: ({ seller }) => ({ body: seller }),
})
