import { z } from 'zod'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestFindRedirectDomainDocument } from '#rest/documents.generated.ts'

export const findDomain = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-domains/:id',
  document: RestFindRedirectDomainDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ domain }) => ({ body: domain }),
})
