// The products of a business, the newest first, in pages.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { readSearch } from '#core/marketplace/search.ts'
import { CatalogueStatusEnum } from '#graphql/billing/catalogue.ts'
import { newestFirst } from '#graphql/billing/list.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { SubscriptionProductNode } from '#graphql/billing/product.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { literal } from '#lib/values.ts'

const SubscriptionProductFilter = builder.inputType('SubscriptionProductFilter', {
  description: 'Which products to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: CatalogueStatusEnum, description: 'With this status. Both when left out.' }),
    search: t.field({
      type: 'FormText',
      description: 'A part of the name, the description or the external id, in any case. Blank matches every product.',
    }),
  }),
})

type Filter = typeof SubscriptionProductFilter.$inferInput

builder.queryField('subscriptionProducts', (t) =>
  t.connection(
    {
      type: SubscriptionProductNode,
      nullable: true,
      description: `The products of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: SubscriptionProductFilter, description: 'Which products to list. All when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { filter, onBehalfOf, ...args }, context) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const where = matching(filter ?? {})
        return await newestFirst(
          context,
          merchant,
          { name: 'subscriptionProducts', filter: where, args },
          ({ sides, ...page }) =>
            context.reads(merchant.tenant).subscriptionProduct.findMany({ ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('SubscriptionProduct'),
  ),
)

function matching({ status, search }: Filter): Prisma.SubscriptionProductWhereInput {
  const asked = readSearch(search ?? '')
  return {
    ...(asked !== null && {
      searchParts: { hasEvery: [...asked.parts] },
      searchText: { contains: literal(asked.text) },
    }),
    ...(status === 'active' && { archivedAt: null }),
    ...(status === 'archived' && { archivedAt: { not: null } }),
  }
}
