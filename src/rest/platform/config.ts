import { z } from 'zod'
import { RestConfigDocument } from '#rest/documents.generated.ts'
import { endpoint } from '#rest/endpoint.ts'

export const config = endpoint({
  method: 'GET',
  path: '/config',
  credential: 'counted_key',
  document: RestConfigDocument,
  input: z.object({}),
  variables: () => ({}),
  reply: (result) => ({ body: result.config }),
})
