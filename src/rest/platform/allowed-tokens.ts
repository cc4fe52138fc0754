import { z } from 'zod'
import { RestAllowedTokensDocument } from '#rest/documents.generated.ts'
import { endpoint } from '#rest/endpoint.ts'

export const allowedTokens = endpoint({
  method: 'GET',
  path: '/allowed-tokens',
  credential: 'optional_key',
  document: RestAllowedTokensDocument,
  input: z.object({}),
  variables: () => ({}),
  reply: ({ tokens }) => ({ body: { tokens } }),
})
