// A payment as its business sees it.
import { settledLegsOf } from '#core/payments/settlement/figures.ts'
import { builder, nodeKey } from '#graphql/builder.ts'
import { Payment } from '#graphql/payments/payment.ts'
import { SettledLegType } from '#graphql/payments/settlement.ts'

export const PaymentIntentNode = builder.prismaNode('PaymentIntent', {
  description: 'A payment: one price in US cents, to be paid at one deposit address within ten minutes.',
  interfaces: [Payment],
  id: { field: 'id', description: 'The global id of the payment, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the payment, as REST and webhooks show it.' }),
    metadata: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Data of the business, as it was given. Null when it gave none. The buyer does not see it.',
      resolve: ({ metadata }) => metadata,
    }),
    underpaymentToleranceBps: t.exposeInt('underpaymentToleranceBps', {
      nullable: true,
      description:
        'How much less than the expected amount counts as paid, in basis points: the setting of the business when the payment was ' +
        'created. Null for nothing less. The buyer does not see it.',
    }),
    settledLegs: t.field({
      type: [SettledLegType],
      description: 'The legs of the settlement, as exports have them. Empty until the payment is swept.',
      resolve: (payment) => [...settledLegsOf(payment)],
    }),
  }),
})
