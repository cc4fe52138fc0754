import { endpoint } from '#http/endpoint.ts'
import { body, secretField, solOrMint } from '#http/input.ts'
import { RestSelectTokenDocument } from '#rest/documents.generated.ts'

export const selectToken = endpoint({
  method: 'POST',
  path: '/intents/select-token',
  credential: 'none',
  document: RestSelectTokenDocument,
  input: body({ client_secret: secretField, mint: solOrMint }),
  variables: ({ client_secret, mint }) => ({ clientSecret: client_secret, asset: mint ?? 'SOL' }),
  reply: ({ intent }) => ({ body: intent }),
})
