// What a buyer does with the one intent whose client secret it holds.

import { SOL } from '#core/chain/types.ts'
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import { builder } from '#graphql/builder.ts'
import { withSecret } from '#graphql/context.ts'
import { Checkout } from '#graphql/payments/checkout-type.ts'
import { CustomerInput, customerPatchOf } from '#graphql/payments/customer-details.ts'
import { rowOf } from '#graphql/payments/row.ts'
import type { Quote } from '#services/services.ts'

const QuotedAsset = builder.objectRef<Quote['quotes'][number]>('QuotedAsset').implement({
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset' }),
    mint: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'null for SOL: what token selection takes.',
      resolve: ({ asset }) => (asset === SOL ? null : asset),
    }),
    symbol: t.exposeString('symbol'),
    decimals: t.exposeInt('decimals'),
    expectedAmount: t.expose('expected', { type: 'BaseUnits' }),
  }),
})

const QuoteType = builder.objectRef<Quote>('Quote').implement({
  description: `What the price is worth now in each accepted asset. The window is ${CHECKOUT_WINDOW_SECONDS} seconds.`,
  fields: (t) => ({
    priceUsdCents: t.expose('priceUsdCents', { type: 'UsdCents' }),
    expiresInSeconds: t.exposeInt('expiresInSeconds'),
    quotes: t.field({ type: [QuotedAsset], resolve: ({ quotes }) => [...quotes] }),
  }),
})

builder.queryFields((t) => ({
  checkout: t.field({
    type: Checkout,
    description: 'The payment of a client secret.',
    args: { clientSecret: t.arg.string({ required: true }) },
    resolve: async (_root, { clientSecret }, context) =>
      rowOf(await withSecret(context, clientSecret, (intents) => intents.checkoutStatus(clientSecret))),
  }),
  quote: t.field({
    type: QuoteType,
    args: { clientSecret: t.arg.string({ required: true }) },
    resolve: async (_root, { clientSecret }, context) =>
      withSecret(context, clientSecret, (intents) => intents.quote(clientSecret)),
  }),
}))

builder.mutationFields((t) => ({
  selectToken: t.field({
    type: Checkout,
    description: 'Locks the amount at the current rate. Repeatable until a payment arrives.',
    args: { clientSecret: t.arg.string({ required: true }), asset: t.arg({ type: 'Asset', required: true }) },
    resolve: async (_root, { clientSecret, asset }, context) =>
      rowOf(await withSecret(context, clientSecret, (intents) => intents.selectToken(clientSecret, asset))),
  }),
  cancelCheckout: t.field({
    type: Checkout,
    description: 'Before payment only: what has arrived goes back. A repeat changes nothing.',
    args: { clientSecret: t.arg.string({ required: true }) },
    resolve: async (_root, { clientSecret }, context) =>
      rowOf(await withSecret(context, clientSecret, (intents) => intents.cancelByClientSecret(clientSecret))),
  }),
  updateCustomerDetails: t.field({
    type: Checkout,
    description: 'Changes the details of the buyer, until the payment is closed.',
    args: {
      clientSecret: t.arg.string({ required: true }),
      details: t.arg({ type: CustomerInput, required: true }),
    },
    resolve: async (_root, { clientSecret, details }, context) => {
      const patch = customerPatchOf(details)
      return rowOf(await withSecret(context, clientSecret, (intents) => intents.updateDetails(clientSecret, patch)))
    },
  }),
}))
