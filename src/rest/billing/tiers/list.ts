import { z } from 'zod'
import { pageParameters } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestSubscriptionTiersDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/page.ts'

export const listTiers = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-products/:id/tiers',
  document: RestSubscriptionTiersDocument,
  input: z.object({ ...pageParameters, id: z.string() }),
  variables: ({ id, limit, cursor }, seller) => ({ ...seller, productId: id, first: limit, after: cursor ?? null }),
  reply: ({ tiers }) => ({
    body: { tiers: nodesOf(tiers), next_cursor: nextCursor(tiers), product_id: tiers.product_id },
  }),
})
