import { z } from 'zod'
import { body, line } from '#http/input.ts'
import { RestUpdateSellerDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { sellerFields, sellerInput } from '#rest/marketplace/seller-fields.ts'
import { sent } from '#rest/sent.ts'

export const updateSeller = marketplaceEndpoint({
  method: 'PATCH',
  path: '/marketplace/sellers/:id',
  document: RestUpdateSellerDocument,
  input: body({ ...sellerFields, id: z.string(), name: line.optional() }),
  variables: ({ id, name, ...fields }) => ({ id, input: sent({ ...sellerInput(fields), name }) }),
  reply: ({ seller }) => ({ body: seller }),
})
