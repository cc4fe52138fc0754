import { z } from 'zod'
import { pageParameters } from '#rest/billing/fields.ts'
import { subscriptionEndpoint } from '#rest/billing/subscription-endpoint.ts'
import { RestRedirectDomainsDocument } from '#rest/documents.generated.ts'
import { nextCursor, nodesOf } from '#rest/page.ts'

const active = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')

export const listDomains = subscriptionEndpoint({
  method: 'GET',
  path: '/subscription-domains',
  document: RestRedirectDomainsDocument,
  input: z.object({ ...pageParameters, active: active.optional() }),
  variables: ({ limit, cursor, active }, seller) => ({
    ...seller,
    first: limit,
    after: cursor ?? null,
    active: active ?? null,
  }),
  reply: ({ domains }) => ({ body: { domains: nodesOf(domains), next_cursor: nextCursor(domains) } }),
})
