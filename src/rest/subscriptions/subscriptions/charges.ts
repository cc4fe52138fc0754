import { z } from 'zod'
import { RestSubscriptionChargesDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/marketplace/page.ts'
import { pageParameters } from '#rest/subscriptions/fields.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const listCharges = subscriptionEndpoint({
  method: 'GET',
  path: '/subscriptions/:id/charges',
  document: RestSubscriptionChargesDocument,
  input: z.object({ ...pageParameters, id: z.string() }),
  variables: ({ id, limit, cursor }, seller) => ({ ...seller, id, first: limit, after: cursor ?? null }),
  reply: ({ charges }) => ({ body: { charges: nodesOf(charges), next_cursor: nextCursor(charges) } }),
})
