// Products that a business sells by subscription: the type, its lists, its changes. Spec: "Subscription resources".

import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Product } from '#core/billing/product.ts'
import { readSearch } from '#core/marketplace/search.ts'
import { builder, nodeKey, REFUSED } from '#graphql/builder.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { literal } from '#lib/values.ts'
import {
  CatalogueStatusEnum,
  catalogueChangeInput,
  catalogueChangeOf,
  catalogueFields,
  DESCRIPTION,
  idOf,
  METADATA,
  metadataOf,
} from './catalogue.ts'
import { newestFirst } from './list.ts'
import { guardBillingNode, merchantOf, ON_BEHALF_OF } from './merchant.ts'

export const CatalogueProduct = builder.interfaceRef<Product>('CatalogueProduct').implement({
  description: 'A product as its business and its subscribers see it.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the product, as REST shows it.' }),
    ...catalogueFields(t, 'product', 'Whether its tiers can have new checkouts.'),
  }),
})

guardBillingNode('SubscriptionProduct')

const SubscriptionProductNode = builder.prismaNode('SubscriptionProduct', {
  description: 'A product that a business sells by subscription. Its tiers have the prices.',
  interfaces: [CatalogueProduct],
  id: { field: 'id', description: 'The global id of the product, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    externalId: t.exposeString('externalId', {
      nullable: true,
      description: 'The idempotency key of its creation. It never changes.',
    }),
  }),
})

// The products of a business, the newest first, in pages.

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

// The operations of a business on its products.

const ID = idOf('product')

const CreateSubscriptionProductInput = builder.inputType('CreateSubscriptionProductInput', {
  description: 'A product to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name, of at most 200 characters.' }),
    description: t.string(DESCRIPTION),
    externalId: t.string({
      description:
        'The idempotency key, of at most 255 characters. A repeat returns the stored product and ignores the other fields.',
    }),
    metadata: t.field(METADATA),
  }),
})

const UpdateSubscriptionProductInput = catalogueChangeInput(
  'UpdateSubscriptionProductInput',
  '`archived` archives it and its tiers, `active` makes them active again.',
)

const CreatedSubscriptionProduct = builder
  .objectRef<{ readonly product: Product; readonly created: boolean }>('CreatedSubscriptionProduct')
  .implement({
    description: 'A product after its creation.',
    fields: (t) => ({
      product: t.expose('product', { type: SubscriptionProductNode, description: 'The product.' }),
      created: t.exposeBoolean('created', { description: 'False when the external id existed already.' }),
    }),
  })

builder.queryField('subscriptionProduct', (t) =>
  t.field({
    type: SubscriptionProductNode,
    nullable: true,
    description: `Finds a product of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.catalogue.findProduct(merchant, id)
    },
  }),
)

builder.mutationFields((t) => ({
  createSubscriptionProduct: t.field({
    type: CreatedSubscriptionProduct,
    nullable: true,
    description: `Creates a product. ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateSubscriptionProductInput, required: true, description: 'The product to create.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const { input, onBehalfOf } = args
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      const { catalogue } = context.services
      const product = {
        name: input.name,
        description: input.description ?? null,
        externalId: input.externalId ?? null,
        metadata: metadataOf(input.metadata),
      }
      return await once(context, merchant.tenant, info, args, {
        create: (id) => catalogue.createProduct(merchant, product, id),
        find: async (id) => ({ product: await catalogue.findProduct(merchant, id), created: true }),
      })
    },
  }),
  updateSubscriptionProduct: t.field({
    type: SubscriptionProductNode,
    nullable: true,
    description: `Changes a product. ${REFUSED}`,
    args: {
      id: t.arg.string(ID),
      input: t.arg({ type: UpdateSubscriptionProductInput, required: true, description: 'The fields to change.' }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
    },
    resolve: async (_root, { id, input, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.updateProduct(merchant, id, catalogueChangeOf(input))
    },
  }),
  archiveSubscriptionProduct: t.field({
    type: SubscriptionProductNode,
    nullable: true,
    description:
      `Archives a product and its tiers: they have no new checkouts, and running subscriptions go on. A repeat changes ` +
      `nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.updateProduct(merchant, id, { status: 'archived' })
    },
  }),
}))
