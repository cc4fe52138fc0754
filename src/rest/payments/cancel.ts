import { endpoint } from '#http/endpoint.ts'
import { body, secretField } from '#http/input.ts'
import { RestCancelCheckoutDocument } from '#rest/documents.generated.ts'
import { paymentBody } from '#rest/payments/present.ts'

export const cancelCheckout = endpoint({
  method: 'POST',
  path: '/intents/cancel',
  credential: 'none',
  document: RestCancelCheckoutDocument,
  input: body({ client_secret: secretField }),
  variables: ({ client_secret }) => ({ clientSecret: client_secret }),
  reply: ({ intent }) => ({ body: paymentBody(intent) }),
})
