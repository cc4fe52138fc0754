import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { secretParameter } from '#http/input.ts'
import { RestQuoteDocument } from '#rest/documents.generated.ts'

export const quote = endpoint({
  method: 'GET',
  path: '/intents/quote',
  credential: 'none',
  document: RestQuoteDocument,
  input: z.object({ client_secret: secretParameter }),
  variables: ({ client_secret }) => ({ clientSecret: client_secret }),
  reply: (result) => ({ body: result.quote }),
})
