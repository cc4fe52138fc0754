// What the service is and how it is. Spec: "Endpoints".
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { ERROR_CODE } from '#http/replies.ts'
import { RestAllowedTokensDocument, RestConfigDocument, RestHealthDocument } from '#rest/documents.generated.ts'

const NOTHING = { input: z.object({}), variables: () => ({}) }

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
      const code = checks.database.status === 'down' ? 'database_unavailable' : 'chain_unavailable'
      const headers = { 'Retry-After': '5', [ERROR_CODE]: code }
      return { status: 503, headers, body: { error: 'the service is down', ...body } }
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
