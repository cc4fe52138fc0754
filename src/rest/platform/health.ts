import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { RestHealthDocument } from '#rest/documents.generated.ts'

const RETRY_LATER = { 'Retry-After': '5' }

export const health = endpoint({
  method: 'GET',
  path: '/health',
  credential: 'none',
  document: RestHealthDocument,
  input: z.object({}),
  variables: () => ({}),
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
})
