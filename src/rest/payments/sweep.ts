import { RestSweepDocument } from '#rest/documents.generated.ts'
import { endpoint } from '#rest/endpoint.ts'
import { body, indexField } from '#rest/input.ts'

export const sweep = endpoint({
  method: 'POST',
  path: '/sweep',
  credential: 'key',
  document: RestSweepDocument,
  input: body({ index: indexField }),
  variables: ({ index }) => ({ index }),
  reply: ({ result }) => ({ body: result }),
})
