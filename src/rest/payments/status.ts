import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { secretParameter } from '#http/input.ts'
import { RestCheckoutStatusDocument } from '#rest/documents.generated.ts'
import { paymentBody } from '#rest/payments/present.ts'

export const checkoutStatus = endpoint({
  method: 'GET',
  path: '/intents/status',
  credential: 'none',
  document: RestCheckoutStatusDocument,
  input: z.object({ client_secret: secretParameter }),
  variables: ({ client_secret }) => ({ clientSecret: client_secret }),
  reply: ({ intent }) => ({ body: paymentBody(intent) }),
})
