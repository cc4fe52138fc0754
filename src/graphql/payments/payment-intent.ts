// A payment as its business sees it.
import { builder } from '#graphql/builder.ts'
import { INTENT_COLUMNS } from '#graphql/payments/row.ts'
import { statusFields } from '#graphql/payments/status-fields.ts'
import { isUuid } from '#services/uuid.ts'

const NOBODYS = '00000000-0000-0000-0000-000000000000'

export const PaymentIntentNode = builder.prismaNode('PaymentIntent', {
  description: 'A payment: one price in US cents, to be paid at one deposit address within ten minutes.',
  id: { field: 'id', description: 'The global id of the payment, for `node`.' },
  // A global id may name anything; PostgreSQL would fail on what is no UUID, and nobody has this one.
  findUnique: (id) => ({ id: isUuid(id) ? id : NOBODYS }),
  // A missing or foreign node is null, not an error.
  nullable: true,
  select: INTENT_COLUMNS,
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'The id of the payment, as REST and webhooks show it.',
      resolve: (row) => row.id,
    }),
  }),
})

builder.objectFields(PaymentIntentNode, statusFields)
