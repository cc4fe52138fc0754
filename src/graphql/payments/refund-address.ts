// An address for held money: the buyer proposes it, and the business decides.
import { builder, REFUSED } from '#graphql/builder.ts'
import { provenManagerOf, withSecret } from '#graphql/context.ts'
import { Checkout } from './checkout-type.ts'
import { PaymentIntentNode } from './payment-intent.ts'

// Any string, because a text that is no id gets the answer of an id that no payment has.
const ID = { required: true, description: 'The `uuid` of the payment.' } as const
const ADDRESS = {
  type: 'SolanaAddress',
  required: true,
  description: 'The address that you have read: another one is refused.',
} as const
const NEEDED = 'Needs the permission `payments`, and of a member a proof of the last five minutes.'

builder.mutationFields((t) => ({
  proposeRefundAddress: t.field({
    type: Checkout,
    nullable: true,
    description: `Proposes an address for the held money of a payment, in place of the one that waits. Nothing is sent before the business approves it. ${REFUSED}`,
    args: {
      clientSecret: t.arg.string({ required: true, description: 'The client secret of the payment.' }),
      address: t.arg({ type: 'SolanaAddress', required: true, description: 'A wallet of the buyer.' }),
    },
    resolve: async (_root, { clientSecret, address }, context) =>
      await withSecret(context, clientSecret, (intents) => intents.proposeRefundAddress(clientSecret, address)),
  }),
  approveRefundAddress: t.field({
    type: PaymentIntentNode,
    nullable: true,
    description: `Releases all held money that can go to the buyer to the address that the buyer proposes. A repeat changes nothing. ${NEEDED} ${REFUSED}`,
    args: { id: t.arg.string(ID), address: t.arg(ADDRESS) },
    resolve: async (_root, { id, address }, context) =>
      await context.services.intents.approveRefundAddress(await provenManagerOf(context, 'payments'), id, address),
  }),
  declineRefundAddress: t.field({
    type: PaymentIntentNode,
    nullable: true,
    description: `Declines the address that the buyer proposes. A repeat changes nothing. ${NEEDED} ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      address: t.arg(ADDRESS),
      reason: t.arg({
        type: 'FormText',
        required: true,
        description: 'Why, in 1 to 500 characters. The buyer reads it.',
      }),
    },
    resolve: async (_root, { id, address, reason }, context) =>
      await context.services.intents.declineRefundAddress(
        await provenManagerOf(context, 'payments'),
        id,
        address,
        reason,
      ),
  }),
}))
