// The checkouts of a business, the newest first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { EXPIRES_IN, type SubscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import type { CreatedSubscriptionIntent } from '#services/billing/catalogue-services.ts'
import { requireTierId } from '#services/requests.ts'
import { metadataOf } from './catalogue.ts'
import { newestFirst } from './list.ts'
import { merchantOf, ON_BEHALF_OF } from './merchant.ts'
import { SubscriptionIntentNode, SubscriptionIntentStatusEnum } from './subscription-intent.ts'

const SubscriptionIntentFilter = builder.inputType('SubscriptionIntentFilter', {
  description: 'Which checkouts to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: SubscriptionIntentStatusEnum, description: 'With this status at this moment.' }),
    tierId: t.string({ description: 'For the tier with this `uuid`.' }),
  }),
})

builder.queryField('subscriptionIntents', (t) =>
  t.connection(
    {
      type: SubscriptionIntentNode,
      nullable: true,
      description: `The checkouts of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: SubscriptionIntentFilter, description: 'Which checkouts to list. All when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { filter, onBehalfOf, ...args }, context, info) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const { status = null, tierId = null } = filter ?? {}
        if (tierId !== null) requireTierId(tierId)
        const now = context.services.billing.now()
        const where = { AND: [tierId === null ? {} : { tierId }, status === null ? {} : WITH_STATUS[status](now)] }
        const query = await queryFromInfo({ context, info, typeName: 'SubscriptionIntent', path: ['edges', 'node'] })
        return await newestFirst(
          context,
          merchant,
          // Without the time: a cursor serves the pages that follow.
          { name: 'subscriptionIntents', filter: { status, tierId }, args },
          ({ sides, ...page }) =>
            context
              .reads(merchant.tenant)
              .subscriptionIntent.findMany({ ...query, ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('SubscriptionIntent'),
  ),
)

/** An open checkout expires by time alone, so both are stored as open. */
const WITH_STATUS: Readonly<Record<SubscriptionIntentStatus, (now: Date) => Prisma.SubscriptionIntentWhereInput>> = {
  // None is open for longer than the maximum: the bound spares reading all that have expired.
  open: (now) => ({
    status: 'open',
    expiresAt: { gt: now },
    createdAt: { gt: new Date(now.getTime() - EXPIRES_IN.max * 1_000) },
  }),
  expired: (now) => ({ status: 'open', expiresAt: { lte: now } }),
  completed: () => ({ status: 'completed' }),
  canceled: () => ({ status: 'canceled' }),
}

// The operations of a business on its checkouts.

// Any string, because a text that is no checkout's id gets the one answer that no checkout has it.
const ID = { required: true, description: 'The `uuid` of the checkout.' } as const

const REDIRECT = 'An https URL at an active redirect domain of the business.'

const CreateSubscriptionIntentInput = builder.inputType('CreateSubscriptionIntentInput', {
  description: 'A checkout to create.',
  fields: (t) => ({
    tierId: t.string({ required: true, description: 'The `uuid` of the tier to sell.' }),
    subscriberWallet: t.string({ description: 'The only wallet that may complete it. Any wallet when left out.' }),
    successUrl: t.string({ description: `Where the subscriber goes after completing it. ${REDIRECT}` }),
    cancelUrl: t.string({ description: `Where the subscriber goes instead of completing it. ${REDIRECT}` }),
    expiresIn: t.int({
      description: `How long it can be completed, in seconds: ${EXPIRES_IN.min} to ${EXPIRES_IN.max}, and ${EXPIRES_IN.default} when left out.`,
    }),
    coupon: t.string({ description: 'The code or the `uuid` of a coupon of the business.' }),
    metadata: t.field({
      type: 'JSONObject',
      description: 'Data of the business: an object of at most 50 keys. The subscription has it too.',
    }),
  }),
})

const CreatedIntent = builder.objectRef<CreatedSubscriptionIntent>('CreatedSubscriptionIntent').implement({
  description: 'A checkout after its creation, with its token.',
  fields: (t) => ({
    intent: t.expose('intent', { type: SubscriptionIntentNode, description: 'The checkout.' }),
    checkoutUrl: t.exposeString('checkoutUrl', {
      description: 'The page to which the business sends the subscriber. Shown here and never again.',
    }),
    checkoutToken: t.exposeString('checkoutToken', {
      description: 'The token in that URL. Only its hash is stored.',
    }),
  }),
})

builder.queryField('subscriptionIntent', (t) =>
  t.field({
    type: SubscriptionIntentNode,
    nullable: true,
    description: `Finds a checkout of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.catalogue.findIntent(merchant, id)
    },
  }),
)

builder.mutationFields((t) => ({
  createSubscriptionIntent: t.field({
    type: CreatedIntent,
    nullable: true,
    description: `Creates a checkout of a tier. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateSubscriptionIntentInput, required: true, description: 'The checkout to create.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const { input, onBehalfOf } = args
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      const { catalogue } = context.services
      const checkout = {
        tierId: input.tierId,
        subscriberWallet: input.subscriberWallet ?? null,
        successUrl: input.successUrl ?? null,
        cancelUrl: input.cancelUrl ?? null,
        expiresIn: input.expiresIn ?? EXPIRES_IN.default,
        coupon: input.coupon ?? null,
        metadata: metadataOf(input.metadata),
      }
      return await once(context, merchant.tenant, info, args, {
        create: (id) => catalogue.createIntent(merchant, checkout, id),
        find: (id) => catalogue.findCreatedIntent(merchant, id),
      })
    },
  }),
  cancelSubscriptionIntent: t.field({
    type: SubscriptionIntentNode,
    nullable: true,
    description: `Cancels an open checkout. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.cancelIntent(merchant, id)
    },
  }),
}))
