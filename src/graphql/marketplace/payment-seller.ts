// The seller that a payment is for, and the asset in which it is paid. Spec: "Marketplace resources".
import { builder } from '#graphql/builder.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'

const SELLER_COLUMNS = { id: true, name: true, externalId: true } as const

type SellerInBrief = { readonly id: string; readonly name: string; readonly externalId: string | null }

const PaymentSeller = builder.objectRef<SellerInBrief>('PaymentSeller').implement({
  description: 'The seller that a payment is for, in brief.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the seller, as REST and webhooks show it.' }),
    name: t.exposeString('name', { description: 'The name of the seller.' }),
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The id that the marketplace gave the seller. Null when it gave none.',
    }),
  }),
})

builder.prismaObjectFields(PaymentIntentNode, (t) => ({
  ticker: t.string({
    nullable: true,
    description: 'The ticker of the selected asset. Null until a token is selected.',
    resolve: ({ selection, network }, _args, { services }) =>
      selection === null ? null : services.tokens.tickerOf(network, selection.asset),
  }),
  sellerAccountId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'The id of the seller. Null unless the payment is for a seller.',
    resolve: ({ accountId, callerAccountId }) => (accountId === callerAccountId ? null : accountId),
  }),
  seller: t.field({
    type: PaymentSeller,
    nullable: true,
    description: 'The seller. Null unless the payment is for a seller.',
    select: { account: { select: SELLER_COLUMNS } },
    resolve: ({ accountId, callerAccountId, account }) => (accountId === callerAccountId ? null : account),
  }),
}))
