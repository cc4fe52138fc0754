import { body, keyText, line } from '#http/input.ts'
import { RestCreateSellerDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { sellerFields, sellerInput } from '#rest/marketplace/seller-fields.ts'

export const createSeller = marketplaceEndpoint({
  method: 'POST',
  path: '/marketplace/sellers',
  document: RestCreateSellerDocument,
  input: body({ ...sellerFields, name: line, external_id: keyText.nullish() }),
  variables: ({ name, external_id, ...fields }) => ({
    input: { ...sellerInput(fields), name, externalId: external_id ?? null },
  }),
  reply: ({ result: { seller, created } }) => ({ status: created ? 201 : 200, body: { ...seller, created } }),
})
