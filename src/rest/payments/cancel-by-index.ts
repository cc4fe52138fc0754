import { endpoint } from '#http/endpoint.ts'
import { body, indexField } from '#http/input.ts'
import { RestCancelByIndexDocument } from '#rest/documents.generated.ts'
import { paymentBody } from '#rest/payments/present.ts'

export const cancelByIndex = endpoint({
  method: 'POST',
  path: '/cancel',
  credential: 'key',
  document: RestCancelByIndexDocument,
  input: body({ index: indexField }),
  variables: ({ index }) => ({ index }),
  reply: ({ intent }) => ({ body: paymentBody(intent) }),
})
