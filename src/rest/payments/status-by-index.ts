import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { indexParameter } from '#http/input.ts'
import { RestStatusByIndexDocument } from '#rest/documents.generated.ts'
import { paymentBody } from '#rest/payments/present.ts'

export const statusByIndex = endpoint({
  method: 'GET',
  path: '/status',
  credential: 'key',
  document: RestStatusByIndexDocument,
  input: z.object({ index: indexParameter }),
  variables: ({ index }) => ({ index }),
  reply: ({ intent }) => ({ body: paymentBody(intent) }),
})
