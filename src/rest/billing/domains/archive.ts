import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestArchiveRedirectDomainDocument } from '#rest/documents.generated.ts'

export const archiveDomain = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-domains/:id/archive',
  document: RestArchiveRedirectDomainDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ domain }) => ({ body: domain }),
})
