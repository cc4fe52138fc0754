import { endpoint } from '#http/endpoint.ts'
import { body, indexField } from '#http/input.ts'
import { RestSweepDocument } from '#rest/documents.generated.ts'

export const sweep = endpoint({
  method: 'POST',
  path: '/sweep',
  credential: 'key',
  document: RestSweepDocument,
  input: body({ index: indexField }),
  variables: ({ index }) => ({ index }),
  reply: ({ result }) => ({ body: result }),
})
