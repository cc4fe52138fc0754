import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { RestConfigDocument } from '#rest/documents.generated.ts'

export const config = endpoint({
  method: 'GET',
  path: '/config',
  credential: 'counted_key',
  document: RestConfigDocument,
  input: z.object({}),
  variables: () => ({}),
  reply: (result) => ({ body: result.config }),
})
