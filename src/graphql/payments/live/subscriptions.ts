// Live status, over a websocket or as server-sent events.
import { builder } from '#graphql/builder.ts'
import { businessOf, withSecret } from '#graphql/context.ts'
import { Checkout } from '#graphql/payments/checkout-type.ts'
import { follow } from '#graphql/payments/live/follow.ts'
import { holdersOfAccount, holdersOfIntent } from '#graphql/payments/live/streams.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'

builder.subscriptionFields((t) => ({
  paymentIntentUpdated: t.field({
    type: PaymentIntentNode,
    description: 'A payment of the business as it is, then every change of it.',
    args: { index: t.arg.int({ required: true, description: 'The `derivationIndex` of the payment.' }) },
    subscribe: async (_root, { index }, context) => {
      const tenant = await businessOf(context)
      const { id } = await context.services.intents.findByIndex(tenant, index)
      const stillAllowed = async () => void (await context.identify(context.authorization, context.address))
      const open = (signal: AbortSignal) => context.live.follow(id, signal)
      return follow(context, { open, holders: holdersOfAccount(tenant.accountId), stillAllowed })
    },
    resolve: (intent) => intent,
  }),
  checkoutUpdated: t.field({
    type: Checkout,
    description: 'The payment of a client secret as it is, then every change of it.',
    args: { clientSecret: t.arg.string({ required: true, description: 'The client secret of the payment.' }) },
    subscribe: async (_root, { clientSecret }, context) => {
      const intent = await withSecret(context, clientSecret, (intents) => intents.checkoutStatus(clientSecret))
      return follow(context, {
        open: (signal) => context.live.follow(intent.id, signal),
        holders: holdersOfIntent(intent, context.address),
        // A client secret is never revoked, so there is nothing to ask again.
        stillAllowed: () => Promise.resolve(),
      })
    },
    resolve: (intent) => intent,
  }),
}))
