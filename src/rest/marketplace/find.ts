import { z } from 'zod'
import { RestFindMarketplaceDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'

export const findMarketplace = marketplaceEndpoint({
  method: 'GET',
  path: '/marketplace',
  document: RestFindMarketplaceDocument,
  input: z.unknown(),
  variables: () => ({}),
  reply: ({ marketplace }) => ({ body: marketplace }),
})
