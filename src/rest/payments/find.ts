import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { keyText } from '#http/input.ts'
import { RestFindIntentDocument } from '#rest/documents.generated.ts'
import { paymentBody } from '#rest/payments/present.ts'

export const findIntent = endpoint({
  method: 'GET',
  path: '/intents',
  credential: 'key',
  document: RestFindIntentDocument,
  input: z.object({ reference: keyText }),
  variables: ({ reference }) => ({ reference }),
  reply: ({ intent: { unaccepted_tokens, ...intent } }) => ({
    body: paymentBody({
      ...intent,
      unaccepted_tokens: unaccepted_tokens.map((token) => ({ ...token, arrivals: Number(token.arrivals) })),
    }),
  }),
})
