// A payment as its buyer sees it: everything that a client secret shows, and nothing that only the business may see.
import { builder } from '#graphql/builder.ts'
import type { IntentRow } from '#graphql/payments/row.ts'
import { statusFields } from '#graphql/payments/status-fields.ts'

export const Checkout = builder.objectRef<IntentRow>('Checkout').implement({
  description: 'A payment as its buyer sees it. The client secret of the payment gives access to it.',
  fields: (t) => ({
    id: t.field({
      type: 'UUID',
      description: 'The id of the payment. `PaymentIntent` shows it as `uuid`.',
      resolve: (row) => row.id,
    }),
    ...statusFields(t),
  }),
})
