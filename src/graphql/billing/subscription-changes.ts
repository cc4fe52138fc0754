// What a business does with its subscriptions.
import type { PortalOrigin } from '#core/billing/portal-session.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { BillingSubscriptionNode } from '#graphql/billing/subscription.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import type { PortalLink } from '#services/billing/portal/links.ts'

// Any string, because a text that is no subscription's id gets the one answer that no subscription has it.
const ID = { required: true, description: 'The `uuid` of the subscription.' } as const

const PortalOriginEnum = builder.enumType('PortalOrigin', {
  description: 'Who made a link to the portal.',
  values: {
    merchant: { description: 'The business.' },
    recovery: { description: 'The subscriber, with a proof of the wallet.' },
  } satisfies Record<PortalOrigin, object>,
})

const PortalLinkType = builder.objectRef<PortalLink>('PortalLink').implement({
  description: 'A link to the portal of a subscription.',
  fields: (t) => ({
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', description: 'The `uuid` of the subscription.' }),
    portalUrl: t.exposeString('portalUrl', {
      description: 'The page for the subscriber. Shown here and never again: only the hash of its token is stored.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTimeISO', description: 'Until when it can be used.' }),
    origin: t.expose('origin', { type: PortalOriginEnum, description: 'Who made it.' }),
    mayIncrease: t.exposeBoolean('mayIncrease', { description: 'Whether its holder may raise what is charged.' }),
  }),
})

builder.mutationFields((t) => ({
  cancelBillingSubscription: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description:
      `Stops billing now: the subscription ends with the current period, or at once. At once as well while nothing is charged. A repeat ` +
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
  changeBillingSubscriptionTier: t.field({
    type: BillingSubscriptionNode,
    nullable: true,
    description:
      `Changes the tier from the next charge on. The current period stays as it was paid. A change that raises what is ` +
      `charged needs the wallet of the subscriber, and is refused. ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      tierId: t.arg.string({ required: true, description: 'The `uuid` of the new tier, of the same product.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { id, tierId, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.subscriptions.changeTier(merchant, id, tierId)
    },
  }),
  createPortalLink: t.field({
    type: PortalLinkType,
    nullable: true,
    description: `Makes a link to the portal for the subscriber, valid for 24 hours. Its holder cannot raise what is charged. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.subscriptions.createPortalLink(merchant, id)
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
