// What a business does with its subscriptions.
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { BillingSubscriptionNode } from '#graphql/billing/subscription.ts'
import { builder } from '#graphql/builder.ts'
import { REFUSED } from '#graphql/payments/refused.ts'

// Any string, because a text that is no subscription's id gets the one answer that no subscription has it.
const ID = { required: true, description: 'The `uuid` of the subscription.' } as const

builder.mutationFields((t) => ({
  cancelBillingSubscription: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description:
      `Stops billing at the end of the current period, or at once. At once as well while nothing is charged. A repeat ` +
      `changes nothing. The allowance stays on the chain. ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      atPeriodEnd: t.arg.boolean({ defaultValue: true, description: 'Whether the current period is kept.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { id, atPeriodEnd, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.subscriptions.cancelSubscription(merchant, id, atPeriodEnd ?? true)
    },
  }),
  pauseBillingSubscription: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description: `Stops charging until the subscription is resumed. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.subscriptions.pauseSubscription(merchant, id)
    },
  }),
  resumeBillingSubscription: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description:
      `Lets charging go on, and clears a cancellation at the end of the period. The period that contains the moment is ` +
      `charged if it is unpaid; earlier ones never are. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.subscriptions.resumeSubscription(merchant, id)
    },
  }),
  chargeBillingSubscriptionNow: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description: `Charges what is due, also when billing is stopped. Nothing is charged early. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.subscriptions.chargeNow(merchant, id)
    },
  }),
}))
