import { z } from 'zod'
import { RestMarketplacePaymentDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { marketplacePaymentBody } from '#rest/payments/present.ts'

export const marketplacePayment = marketplaceEndpoint({
  method: 'GET',
  path: '/marketplace/payments/:id',
  document: RestMarketplacePaymentDocument,
  // Any text: one that is no id is answered like an id that no payment has.
  input: z.object({ id: z.string() }),
  variables: ({ id }) => ({ id }),
  reply: ({ payment }) => ({ body: marketplacePaymentBody(payment) }),
})
