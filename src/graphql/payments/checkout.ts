// The operations of a buyer on the one payment of its client secret.
import { SOL } from '#core/chain/types.ts'
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { whileDisabled, withSecret } from '#graphql/context.ts'
import { Checkout } from '#graphql/payments/checkout-type.ts'
import { givenAsset } from '#graphql/payments/given-asset.ts'
import type { Quote } from '#services/payments/intent-services.ts'
import { CustomerInput, customerPatchOf } from './details.ts'

const SECRET = { required: true, description: 'The client secret of the payment.' } as const

const QuotedAsset = builder.objectRef<Quote['quotes'][number]>('QuotedAsset').implement({
  description: 'The amount to pay in one asset.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset', description: 'The asset, as `selectToken` takes it.' }),
    mint: t.field({
      type: 'Mint',
      nullable: true,
      description: 'The mint of the token. Null for SOL.',
      resolve: ({ asset }) => (asset === SOL ? null : asset),
    }),
    ticker: t.exposeString('symbol', { description: 'The ticker of the asset, such as `SOL`.' }),
    decimals: t.exposeInt('decimals', { description: 'The number of decimals of the asset.' }),
    expectedAmount: t.expose('expected', { type: 'BaseUnits', description: 'The amount to pay, in base units.' }),
  }),
})

const UnquotedAsset = builder.objectRef<Quote['unquoted'][number]>('UnquotedAsset').implement({
  description: 'An accepted asset in which the price cannot be paid now.',
  fields: (t) => ({
    asset: t.expose('asset', { type: 'Asset', description: 'The asset.' }),
    code: t.exposeString('code', { description: 'The code of the error that `selectToken` answers.' }),
  }),
})

const QuoteType = builder.objectRef<Quote>('Quote').implement({
  description: 'The amounts to pay at the current rates. No rate is locked: `selectToken` locks one.',
  fields: (t) => ({
    priceUsdCents: t.expose('priceUsdCents', { type: 'UsdCents', description: 'The price in US cents.' }),
    expiresInSeconds: t.exposeInt('expiresInSeconds', {
      description: `The seconds until the checkout window ends, ${CHECKOUT_WINDOW_SECONDS} at most.`,
    }),
    quotes: t.field({
      type: [QuotedAsset],
      description: 'The amount in each accepted asset in which the price can be paid.',
      resolve: ({ quotes }) => [...quotes],
    }),
    unquoted: t.field({
      type: [UnquotedAsset],
      description: 'The other accepted assets that are allowed, with the reason why the price cannot be paid in each.',
      resolve: ({ unquoted }) => [...unquoted],
    }),
  }),
})

builder.queryFields((t) => ({
  checkout: t.field({
    type: Checkout,
    nullable: true,
    description: `Finds the payment of a client secret. ${REFUSED}`,
    args: { clientSecret: t.arg.string(SECRET) },
    resolve: async (_root, { clientSecret }, context) =>
      await withSecret(context, clientSecret, (intents) => intents.checkoutStatus(clientSecret)),
  }),
  quote: t.field({
    type: QuoteType,
    nullable: true,
    description: `Quotes the price in each accepted asset. ${REFUSED}`,
    args: { clientSecret: t.arg.string(SECRET) },
    resolve: async (_root, { clientSecret }, context) =>
      withSecret(context, clientSecret, (intents) => intents.quote(clientSecret)),
  }),
}))

builder.mutationFields((t) => ({
  selectToken: t.field({
    type: Checkout,
    nullable: true,
    description: `Selects the asset to pay in, and locks the amount at the current rate. It can be repeated until money arrives. ${REFUSED}`,
    args: {
      clientSecret: t.arg.string(SECRET),
      asset: t.arg({ type: 'Asset', required: true, description: 'One of the accepted assets.' }),
    },
    resolve: async (_root, { clientSecret, asset }, context) =>
      await withSecret(context, clientSecret, (intents) => intents.selectToken(clientSecret, givenAsset(asset))),
  }),
  cancelCheckout: t.field({
    type: Checkout,
    nullable: true,
    description: `Cancels the payment before it is paid. A part that has arrived goes back. A repeat changes nothing. ${REFUSED}`,
    args: { clientSecret: t.arg.string(SECRET) },
    resolve: async (_root, { clientSecret }, context) =>
      await withSecret(whileDisabled(context), clientSecret, (intents) => intents.cancelByClientSecret(clientSecret)),
  }),
  updateCustomerDetails: t.field({
    type: Checkout,
    nullable: true,
    description: `Changes the details of the buyer, until the payment is closed. ${REFUSED}`,
    args: {
      clientSecret: t.arg.string(SECRET),
      details: t.arg({ type: CustomerInput, required: true, description: 'The fields to change.' }),
    },
    resolve: async (_root, { clientSecret, details }, context) => {
      const patch = customerPatchOf(details)
      return await withSecret(context, clientSecret, (intents) => intents.updateDetails(clientSecret, patch))
    },
  }),
}))
