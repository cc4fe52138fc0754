import { z } from 'zod'
import { pageParameters } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestSubscriptionChargesDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/page.ts'

export const listCharges = subscriptionEndpoint({
  method: 'GET',
  path: '/subscriptions/:id/charges',
  document: RestSubscriptionChargesDocument,
  input: z.object({ ...pageParameters, id: z.string() }),
  variables: ({ id, limit, cursor }, seller) => ({ ...seller, id, first: limit, after: cursor ?? null }),
  reply: ({ charges }) => ({ body: { charges: nodesOf(charges), next_cursor: nextCursor(charges) } }),
})
