// What the service is and how it is. Spec: "Endpoints".
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { RestAllowedTokensDocument, RestConfigDocument, RestHealthDocument } from '#rest/documents.generated.ts'

const NOTHING = { input: z.object({}), variables: () => ({}) }
const RETRY_LATER = { 'Retry-After': '5' }

export const platformEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/config',
    credential: 'counted_key',
    document: RestConfigDocument,
    ...NOTHING,
    reply: ({ config }) => ({ body: config }),
  }),
  endpoint({
    method: 'GET',
    path: '/health',
    credential: 'none',
    document: RestHealthDocument,
    ...NOTHING,
    reply({ health: { status, version, checks } }) {
      const body = {
        status,
        version,
        checks: {
          database: checks.database.status,
          chain: checks.chain.status,
          price_feed: checks.price_feed.status,
          workers: checks.workers.status,
        },
      }
      if (status !== 'down') return { body }
      return { status: 503, headers: RETRY_LATER, body: { error: 'the service is down', ...body } }
    },
  }),
  endpoint({
    method: 'GET',
    path: '/allowed-tokens',
    credential: 'optional_key',
    document: RestAllowedTokensDocument,
    ...NOTHING,
    reply: ({ tokens }) => ({ body: { tokens } }),
  }),
]
