// A payment as its business sees it.
import { builder } from '#graphql/builder.ts'
import { Payment } from '#graphql/payments/payment.ts'
import { isUuid } from '#services/uuid.ts'

const UNUSED_ID = '00000000-0000-0000-0000-000000000000'

export const PaymentIntentNode = builder.prismaNode('PaymentIntent', {
  description: 'A payment: one price in US cents, to be paid at one deposit address within ten minutes.',
  interfaces: [Payment],
  id: { field: 'id', description: 'The global id of the payment, for `node`.' },
  // A global id can contain anything. PostgreSQL fails on a value that is no UUID, and no payment has this one.
  findUnique: (id) => ({ id: isUuid(id) ? id : UNUSED_ID }),
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'The id of the payment, as REST and webhooks show it.',
      resolve: ({ id }) => id,
    }),
  }),
})
