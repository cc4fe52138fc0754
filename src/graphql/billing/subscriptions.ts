// The subscriptions of a business and their charges, the newest first, in pages.

import { queryFromInfo } from '@pothos/plugin-prisma'
import type { PortalOrigin } from '#core/billing/portal-session.ts'
import { isAddress } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import type { Context } from '#graphql/context.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { requireRange } from '#graphql/payments/payment-page.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import type { PortalLink } from '#services/billing/portal/links.ts'
import { isUuid, requireTierId } from '#services/requests.ts'
import { ChargeNode } from './charge.ts'
import { SubscriptionDelegation } from './delegation.ts'
import { newestFirst } from './list.ts'
import { merchantOf, ON_BEHALF_OF } from './merchant.ts'
import { BillingSubscriptionNode, SubscriptionStatusEnum } from './subscription.ts'

// Any string, because a text that is no subscription's id gets the one answer that no subscription has it.
const ID = { required: true, description: 'The `uuid` of the subscription.' } as const

const SubscriptionFilter = builder.inputType('BillingSubscriptionFilter', {
  description: 'Which subscriptions to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: SubscriptionStatusEnum, description: 'In this state. Every state when left out.' }),
    tierId: t.string({ description: 'On the tier with this `uuid`.' }),
    productId: t.string({ description: 'On any tier of the product with this `uuid`.' }),
    subscriberWallet: t.string({ description: 'For this wallet.' }),
    delegationOfWallet: t.string({
      description: 'Charged from the delegation that `subscriptionDelegation` finds for this wallet.',
    }),
  }),
})

const [connection, edge] = connectionNames('Charge')
const ChargeEdge = builder.edgeObject({ type: ChargeNode, ...edge })
const ChargeConnection = builder.connectionObject({ type: ChargeNode, ...connection }, ChargeEdge)

const ChargeFilter = builder.inputType('ChargeFilter', {
  description: 'Which charges to list: those that match every field that is given.',
  fields: (t) => ({
    from: t.field({ type: 'DateTimeISO', description: 'Planned at this time or later.' }),
    to: t.field({ type: 'DateTimeISO', description: 'Planned before this time.' }),
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
      resolve: async (_root, { filter, onBehalfOf, ...args }, context, info) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const where = await matching(context, merchant, filter ?? {})
        const list = { name: 'billingSubscriptions', filter: where, args }
        const query = await queryFromInfo({ context, info, typeName: 'BillingSubscription', path: ['edges', 'node'] })
        return await newestFirst(context, merchant, list, ({ sides, ...page }) =>
          context
            .reads(merchant.tenant)
            .billingSubscription.findMany({ ...query, ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('BillingSubscription'),
  ),
  billingCharges: t.connection(
    {
      type: ChargeNode,
      nullable: true,
      description: `The charges of all subscriptions of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: ChargeFilter, description: 'Which charges to list. All when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { filter, onBehalfOf, ...args }, context) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const { from, to } = filter ?? {}
        requireRange(from, to)
        const planned = { createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) } }
        const list = { name: 'billingCharges', filter: planned, args }
        return await newestFirst(context, merchant, list, ({ sides, ...page }) =>
          context.reads(merchant.tenant).charge.findMany({ ...page, where: { AND: [planned, ...sides] } }),
        )
      },
    },
    ChargeConnection,
    ChargeEdge,
  ),
  billingCharge: t.field({
    type: ChargeNode,
    nullable: true,
    description: `Finds a charge of the business by its id. ${REFUSED}`,
    args: {
      id: t.arg.string({ required: true, description: 'The `uuid` of the charge.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const { tenant } = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      const charge = isUuid(id) ? await context.reads(tenant).charge.findUnique({ where: { id } }) : null
      if (charge?.accountId !== tenant.accountId) throw new ServiceError('charge_not_found')
      return charge
    },
  }),
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
    ChargeConnection,
    ChargeEdge,
  ),
}))

type Filter = typeof SubscriptionFilter.$inferInput

/** Throws `invalid_tier_id`, `product_not_found` and `delegation_not_found`. */
async function matching(
  { services: { subscriptions, catalogue } }: Context,
  merchant: Merchant,
  { status, tierId, productId, subscriberWallet, delegationOfWallet }: Filter,
) {
  if (tierId != null) requireTierId(tierId)
  const product = productId != null ? await catalogue.findProduct(merchant, productId) : null
  const delegation =
    delegationOfWallet != null ? await subscriptions.delegationOfWallet(merchant, delegationOfWallet) : null
  return {
    ...(status != null && { status }),
    ...(tierId != null && { tierId }),
    ...(product !== null && { tier: { productId: product.id } }),
    // No subscription has a wallet that is no address, and the database refuses some texts.
    ...(subscriberWallet != null && { subscriberWallet: { in: [subscriberWallet].filter(isAddress) } }),
    ...(delegation !== null && { delegationId: delegation.id }),
  }
}

// What a business does with its subscriptions.

// Any string, because a text that is no subscription's id gets the one answer that no subscription has it.

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
