import { z } from 'zod'
import { body } from '#http/input.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestCreateRedirectDomainDocument } from '#rest/documents.generated.ts'

export const createDomain = subscriptionEndpoint({
  method: 'POST',
  path: '/subscription-domains',
  document: RestCreateRedirectDomainDocument,
  input: body({ host: z.string('invalid_host') }),
  variables: ({ host }, seller) => ({ ...seller, host }),
  reply: ({ result: { domain, created } }) => ({ status: created ? 201 : 200, body: domain }),
})
