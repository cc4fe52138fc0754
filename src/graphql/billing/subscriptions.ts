// The subscriptions of a business and their charges, the newest first, in pages.
import { isAddress } from '#core/chain/base58.ts'
import { ChargeNode } from '#graphql/billing/charge.ts'
import { SubscriptionDelegation } from '#graphql/billing/delegation.ts'
import { newestFirst } from '#graphql/billing/list.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { BillingSubscriptionNode, SubscriptionStatusEnum } from '#graphql/billing/subscription.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import type { Context } from '#graphql/context.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import { requireTierId } from '#services/billing/tier-id.ts'

// Any string, because a text that is no subscription's id gets the one answer that no subscription has it.
const ID = { required: true, description: 'The `uuid` of the subscription.' } as const

const SubscriptionFilter = builder.inputType('BillingSubscriptionFilter', {
  description: 'Which subscriptions to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: SubscriptionStatusEnum, description: 'In this state. Every state when left out.' }),
    tierId: t.string({ description: 'On the tier with this `uuid`.' }),
    subscriberWallet: t.string({ description: 'For this wallet.' }),
    delegationOfWallet: t.string({
      description: 'Charged from the delegation that `subscriptionDelegation` finds for this wallet.',
    }),
  }),
})

builder.queryFields((t) => ({
  billingSubscription: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description: `Finds a subscription of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.subscriptions.findSubscription(merchant, id)
    },
  }),
  subscriptionDelegation: t.field({
    type: SubscriptionDelegation,
    nullable: true,
    description: `Finds the newest delegation of a wallet that has a subscription of the business. ${REFUSED}`,
    args: {
      wallet: t.arg.string({ required: true, description: 'The wallet.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { wallet, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.subscriptions.delegationOfWallet(merchant, wallet)
    },
  }),
  billingSubscriptions: t.connection(
    {
      type: BillingSubscriptionNode,
      nullable: true,
      description: `The subscriptions of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: SubscriptionFilter, description: 'Which subscriptions to list. All when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { filter, onBehalfOf, ...args }, context) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const where = await matching(context, merchant, filter ?? {})
        const list = { name: 'billingSubscriptions', filter: where, args }
        return await newestFirst(context, merchant, list, ({ sides, ...page }) =>
          context.reads(merchant.tenant).billingSubscription.findMany({ ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('BillingSubscription'),
  ),
  subscriptionCharges: t.connection(
    {
      type: ChargeNode,
      nullable: true,
      description: `The charges of a subscription, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
      resolve: async (_root, { id, onBehalfOf, ...args }, context) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const { id: subscriptionId } = await context.services.subscriptions.findSubscription(merchant, id)
        const list = { name: 'subscriptionCharges', filter: { subscriptionId }, args }
        return await newestFirst(context, merchant, list, ({ sides, ...page }) =>
          context.reads(merchant.tenant).charge.findMany({ ...page, where: { AND: [{ subscriptionId }, ...sides] } }),
        )
      },
    },
    ...connectionNames('Charge'),
  ),
}))

type Filter = typeof SubscriptionFilter.$inferInput

/** Throws `invalid_tier_id` and `delegation_not_found`. */
async function matching(
  { services: { subscriptions } }: Context,
  merchant: Merchant,
  { status, tierId, subscriberWallet, delegationOfWallet }: Filter,
) {
  if (tierId != null) requireTierId(tierId)
  const delegation =
    delegationOfWallet != null ? await subscriptions.delegationOfWallet(merchant, delegationOfWallet) : null
  return {
    ...(status != null && { status }),
    ...(tierId != null && { tierId }),
    // No subscription has a wallet that is no address, and the database refuses some texts.
    ...(subscriberWallet != null && { subscriberWallet: { in: [subscriberWallet].filter(isAddress) } }),
    ...(delegation !== null && { delegationId: delegation.id }),
  }
}
