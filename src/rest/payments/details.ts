import { endpoint } from '#http/endpoint.ts'
import { body, secretField } from '#http/input.ts'
import { RestUpdateDetailsDocument } from '#rest/documents.generated.ts'
import { customerFields, customerInput } from '#rest/payments/customer.ts'
import { customerDetailsBody } from '#rest/payments/present.ts'

export const updateDetails = endpoint({
  method: 'POST',
  path: '/intents/details',
  credential: 'none',
  document: RestUpdateDetailsDocument,
  input: body({ client_secret: secretField, ...customerFields }),
  variables: ({ client_secret, ...customer }) => ({ clientSecret: client_secret, details: customerInput(customer) }),
  // Empty when everything was cleared.
  reply: ({ checkout: { customer_details } }) => ({
    body: customer_details ? customerDetailsBody(customer_details) : {},
  }),
})
