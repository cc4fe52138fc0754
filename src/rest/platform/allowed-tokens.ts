import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { RestAllowedTokensDocument } from '#rest/documents.generated.ts'

export const allowedTokens = endpoint({
  method: 'GET',
  path: '/allowed-tokens',
  credential: 'optional_key',
  document: RestAllowedTokensDocument,
  input: z.object({}),
  variables: () => ({}),
  reply: ({ tokens }) => ({ body: { tokens } }),
})
