import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCreatePortalLinkDocument } from '#rest/documents.generated.ts'

export const createPortalLink = subscriptionEndpoint({
  method: 'POST',
  path: '/subscriptions/:id/portal-link',
  document: RestCreatePortalLinkDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ link }) => ({ status: 201, body: link }),
})
