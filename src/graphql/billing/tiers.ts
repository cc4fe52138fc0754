// The tiers of a product, in pages, and their changes.
import { queryFromInfo } from '@pothos/plugin-prisma'
import { DEFAULT_AUTHORIZATION_PERIODS, MAX_TRIAL_DAYS } from '#core/billing/tier.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { catalogueChangeInput, catalogueChangeOf, DESCRIPTION, idOf, METADATA, metadataOf } from './catalogue.ts'
import { newestFirst } from './list.ts'
import { merchantOf, ON_BEHALF_OF } from './merchant.ts'
import { SubscriptionIntervalEnum, SubscriptionTierNode } from './tier.ts'

const [TIER_CONNECTION, TIER_EDGE] = connectionNames('SubscriptionTier')

builder.queryField('subscriptionTiers', (t) =>
  t.connection(
    {
      type: SubscriptionTierNode,
      nullable: true,
      description: `The tiers of a product, the newest first, archived ones too. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        productId: t.arg.string({ required: true, description: 'The `uuid` of the product.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { productId, onBehalfOf, ...args }, context, info) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const product = await context.services.catalogue.findProduct(merchant, productId)
        const where = { productId: product.id }
        const query = await queryFromInfo({ context, info, typeName: 'SubscriptionTier', path: ['edges', 'node'] })
        const connection = await newestFirst(
          context,
          merchant,
          { name: 'subscriptionTiers', filter: where, args },
          ({ sides, ...page }) =>
            context
              .reads(merchant.tenant)
              .subscriptionTier.findMany({ ...query, ...page, where: { AND: [where, ...sides] } }),
        )
        return { ...connection, productId: product.id }
      },
    },
    {
      ...TIER_CONNECTION,
      fields: (t) => ({
        productId: t.expose('productId', {
          type: 'UUID',
          description: 'The `uuid` of the product whose tiers these are.',
        }),
      }),
    },
    TIER_EDGE,
  ),
)

// The operations of a business on its tiers.

const ID = idOf('tier')

const CreateSubscriptionTierInput = builder.inputType('CreateSubscriptionTierInput', {
  description: 'A tier to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name, of at most 120 characters.' }),
    description: t.string(DESCRIPTION),
    priceUsdCents: t.field({ type: 'UsdCents', required: true, description: 'The price of one period.' }),
    interval: t.field({ type: SubscriptionIntervalEnum, required: true, description: 'The unit of a period.' }),
    intervalCount: t.int({ description: 'The units of a period: 1 when left out.' }),
    authorizationPeriods: t.int({
      description: `The periods that a subscriber authorizes at the beginning: ${DEFAULT_AUTHORIZATION_PERIODS} when left out.`,
    }),
    trialDays: t.int({
      description: `The days before the first charge, at most ${MAX_TRIAL_DAYS}: 0, without a trial, when left out. A wallet has one trial of a product.`,
    }),
    metadata: t.field(METADATA),
  }),
})

const UpdateSubscriptionTierInput = catalogueChangeInput(
  'UpdateSubscriptionTierInput',
  '`archived` archives it, `active` makes it active again.',
)

builder.queryField('subscriptionTier', (t) =>
  t.field({
    type: SubscriptionTierNode,
    nullable: true,
    description: `Finds a tier of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.catalogue.findTier(merchant, id)
    },
  }),
)

builder.mutationFields((t) => ({
  createSubscriptionTier: t.field({
    type: SubscriptionTierNode,
    nullable: true,
    description: `Creates a tier of a product. ${REFUSED}`,
    args: {
      productId: t.arg.string({ required: true, description: 'The `uuid` of the product.' }),
      input: t.arg({ type: CreateSubscriptionTierInput, required: true, description: 'The tier to create.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const { productId, input, onBehalfOf } = args
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      const { catalogue } = context.services
      const tier = {
        name: input.name,
        description: input.description ?? null,
        priceUsdCents: input.priceUsdCents,
        interval: input.interval,
        intervalCount: input.intervalCount ?? 1,
        authorizationPeriods: input.authorizationPeriods ?? DEFAULT_AUTHORIZATION_PERIODS,
        trialDays: input.trialDays ?? 0,
        metadata: metadataOf(input.metadata),
      }
      return await once(context, merchant.tenant, info, args, {
        create: (id) => catalogue.createTier(merchant, productId, tier, id),
        find: (id) => catalogue.findTier(merchant, id),
      })
    },
  }),
  updateSubscriptionTier: t.field({
    type: SubscriptionTierNode,
    nullable: true,
    description: `Changes a tier. Its price never changes: create another tier instead. ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      input: t.arg({ type: UpdateSubscriptionTierInput, required: true, description: 'The fields to change.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { id, input, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.updateTier(merchant, id, catalogueChangeOf(input))
    },
  }),
  archiveSubscriptionTier: t.field({
    type: SubscriptionTierNode,
    nullable: true,
    description: `Archives a tier: it has no new checkouts, and running subscriptions go on. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.updateTier(merchant, id, { status: 'archived' })
    },
  }),
}))
