// The checkout of a payment, by its client secret.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { body, secretField, secretParameter, solOrMint } from '#http/input.ts'
import {
  RestCancelCheckoutDocument,
  RestCheckoutStatusDocument,
  RestQuoteDocument,
  RestSelectTokenDocument,
  RestUpdateDetailsDocument,
} from '#rest/documents.generated.ts'
import { customerDetailsBody, customerFields, customerInput, paymentBody } from '#rest/payments/payment.ts'

export const checkoutEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/intents/quote',
    credential: 'none',
    document: RestQuoteDocument,
    input: z.object({ client_secret: secretParameter }),
    variables: ({ client_secret }) => ({ clientSecret: client_secret }),
    reply: ({ quote }) => ({ body: quote }),
  }),
  endpoint({
    method: 'POST',
    path: '/intents/select-token',
    credential: 'none',
    document: RestSelectTokenDocument,
    input: body({ client_secret: secretField, mint: solOrMint }),
    variables: ({ client_secret, mint }) => ({ clientSecret: client_secret, asset: mint ?? 'SOL' }),
    reply: ({ intent }) => ({ body: intent }),
  }),
  endpoint({
    method: 'GET',
    path: '/intents/status',
    credential: 'none',
    document: RestCheckoutStatusDocument,
    input: z.object({ client_secret: secretParameter }),
    variables: ({ client_secret }) => ({ clientSecret: client_secret }),
    reply: ({ intent }) => ({ body: paymentBody(intent) }),
  }),
  endpoint({
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
  }),
  endpoint({
    method: 'POST',
    path: '/intents/cancel',
    credential: 'none',
    document: RestCancelCheckoutDocument,
    input: body({ client_secret: secretField }),
    variables: ({ client_secret }) => ({ clientSecret: client_secret }),
    reply: ({ intent }) => ({ body: paymentBody(intent) }),
  }),
]
