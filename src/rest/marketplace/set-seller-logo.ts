import { z } from 'zod'
import { imageField } from '#http/input.ts'
import { RestSetSellerLogoDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'

export const setSellerLogo = marketplaceEndpoint({
  method: 'PUT',
  path: '/marketplace/sellers/:id/logo',
  takes: 'image',
  document: RestSetSellerLogoDocument,
  input: z.object({ id: z.string(), image: imageField }),
  variables: ({ id, image }) => ({ id, image }),
  reply: ({ seller }) => ({ body: seller }),
})
