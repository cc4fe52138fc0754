// The redirect domains of a business.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { body, shownAs } from '#http/input.ts'
import { billingEndpoint } from '#rest/billing/endpoints.ts'
import { pageParameters } from '#rest/billing/fields.ts'
import {
  RestArchiveRedirectDomainDocument,
  RestCreateRedirectDomainDocument,
  RestFindRedirectDomainDocument,
  RestRedirectDomainsDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf } from '#rest/endpoints.ts'

const active = z
  .enum(['true', 'false', '1', '0'])
  .meta(shownAs({ type: 'boolean' }))
  .transform((text) => text === 'true' || text === '1')

export const domainEndpoints: readonly Endpoint[] = [
  billingEndpoint({
    method: 'POST',
    path: '/subscription-domains',
    document: RestCreateRedirectDomainDocument,
    input: body({ host: z.string('invalid_host') }),
    variables: ({ host }) => ({ host }),
    reply: ({ result: { domain, created } }) => ({ status: created ? 201 : 200, body: domain }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-domains',
    document: RestRedirectDomainsDocument,
    input: z.object({ ...pageParameters, active: active.optional() }),
    variables: ({ limit, cursor, active }) => ({ first: limit, after: cursor ?? null, active: active ?? null }),
    reply: ({ domains }) => ({ body: { domains: nodesOf(domains), next_cursor: nextCursor(domains) } }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-domains/:id',
    document: RestFindRedirectDomainDocument,
    ...BY_ID,
    reply: ({ domain }) => ({ body: domain }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscription-domains/:id/archive',
    document: RestArchiveRedirectDomainDocument,
    ...BY_ID,
    reply: ({ domain }) => ({ body: domain }),
  }),
]
