import { z } from 'zod'
import { RestFindRedirectDomainDocument } from '#rest/documents.generated.ts'
import { subscriptionEndpoint } from '#rest/subscriptions/subscription-endpoint.ts'

export const findDomain = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-domains/:id',
  document: RestFindRedirectDomainDocument,
  input: z.object({ id: z.string() }),
  variables: ({ id }, seller) => ({ ...seller, id }),
  reply: ({ domain }) => ({ body: domain }),
})
