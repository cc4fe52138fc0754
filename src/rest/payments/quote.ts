import { z } from 'zod'
import { RestQuoteDocument } from '#rest/documents.generated.ts'
import { endpoint } from '#rest/endpoint.ts'
import { secretParameter } from '#rest/input.ts'

export const quote = endpoint({
  method: 'GET',
  path: '/intents/quote',
  credential: 'none',
  document: RestQuoteDocument,
  input: z.object({ client_secret: secretParameter }),
  variables: ({ client_secret }) => ({ clientSecret: client_secret }),
  reply: (result) => ({ body: result.quote }),
})
