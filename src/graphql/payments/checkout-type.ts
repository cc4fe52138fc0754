// A payment as its buyer sees it: everything that a client secret shows, and nothing that only the business may see.
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { builder } from '#graphql/builder.ts'
import { Payment } from '#graphql/payments/payment.ts'

export const Checkout = builder.objectRef<PaymentIntent>('Checkout').implement({
  description: 'A payment as its buyer sees it. The client secret of the payment gives access to it.',
  interfaces: [Payment],
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the payment. `PaymentIntent` shows it as `uuid`.' }),
  }),
})
