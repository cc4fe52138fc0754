// A payment as its business sees it.
import { builder } from '#graphql/builder.ts'
import { INTENT_COLUMNS } from '#graphql/payments/row.ts'
import { statusFields } from '#graphql/payments/status-fields.ts'
import { isUuid } from '#services/uuid.ts'

/** Lists below a payment are bounded, because anybody may send dust to its address. */
const NEWEST = 100
/** The same in a page of payments, which would multiply them. */
export const NEWEST_IN_PAGE = 20
const BOUNDED = `Shows the newest ${NEWEST} first, and the newest ${NEWEST_IN_PAGE} in a page of payments.`

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
    deposits: t.relation('deposits', {
      description: `Money that arrived. ${BOUNDED}`,
      query: { orderBy: [{ seenAt: 'desc' }, { id: 'desc' }], take: NEWEST },
    }),
    transfers: t.relation('transfers', {
      description: `Money that was sent out. ${BOUNDED}`,
      query: { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: NEWEST },
    }),
    events: t.relation('events', {
      description: `The events of the payment. ${BOUNDED}`,
      query: { orderBy: { sequence: 'desc' }, take: NEWEST },
    }),
  }),
})

builder.objectFields(PaymentIntentNode, statusFields)
