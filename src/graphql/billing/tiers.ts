// The tiers of a product, the newest first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import { newestFirst } from '#graphql/billing/list.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { SubscriptionTierNode } from '#graphql/billing/tier.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'

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
