import { endpoint } from '#http/endpoint.ts'
import { address, body, secretField } from '#http/input.ts'
import { RestSelectTokenDocument } from '#rest/documents.generated.ts'

export const selectToken = endpoint({
  method: 'POST',
  path: '/intents/select-token',
  credential: 'none',
  document: RestSelectTokenDocument,
  // Required, though null is a choice: SOL.
  input: body({ client_secret: secretField, mint: address.nullable() }),
  variables: ({ client_secret, mint }) => ({ clientSecret: client_secret, asset: mint ?? 'SOL' }),
  reply: ({ intent }) => ({ body: intent }),
})
