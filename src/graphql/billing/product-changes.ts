// The operations of a business on its products.
import type { Product } from '#core/billing/product.ts'
import { CatalogueStatusEnum } from '#graphql/billing/catalogue-status.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { metadataOf } from '#graphql/billing/metadata.ts'
import { SubscriptionProductNode } from '#graphql/billing/product.ts'
import { builder } from '#graphql/builder.ts'
import { REFUSED } from '#graphql/payments/refused.ts'

// Any string, because a text that is no product's id gets the one answer that no product has it.
const ID = { required: true, description: 'The `uuid` of the product.' } as const

const DESCRIPTION = 'The description, of at most 2,000 characters.'
const METADATA = 'Data of the business: an object of at most 50 keys. It is replaced as a whole.'

const CreateSubscriptionProductInput = builder.inputType('CreateSubscriptionProductInput', {
  description: 'A product to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name, of at most 200 characters.' }),
    description: t.string({ description: DESCRIPTION }),
    externalId: t.string({
      description:
        'The idempotency key, of at most 255 characters. A repeat returns the stored product and ignores the other fields.',
    }),
    metadata: t.field({ type: 'JSONObject', description: METADATA }),
  }),
})

const UpdateSubscriptionProductInput = builder.inputType('UpdateSubscriptionProductInput', {
  description: 'The fields to change. A field that is left out is untouched; null clears it.',
  fields: (t) => ({
    name: t.string({ description: 'The name. Null leaves it untouched.' }),
    description: t.string({ description: DESCRIPTION }),
    status: t.field({
      type: CatalogueStatusEnum,
      description: '`archived` archives it and its tiers, `active` makes them active again. Null leaves it untouched.',
    }),
    metadata: t.field({ type: 'JSONObject', description: METADATA }),
  }),
})

const CreatedSubscriptionProduct = builder
  .objectRef<{ readonly product: Product; readonly created: boolean }>('CreatedSubscriptionProduct')
  .implement({
    description: 'A product after its creation.',
    fields: (t) => ({
      product: t.field({
        type: SubscriptionProductNode,
        description: 'The product.',
        resolve: ({ product }) => product,
      }),
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
    },
    resolve: async (_root, { input, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.createProduct(merchant, {
        name: input.name,
        description: input.description ?? null,
        externalId: input.externalId ?? null,
        metadata: metadataOf(input.metadata),
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
      const { name, description, status, metadata } = input
      return await context.services.catalogue.updateProduct(merchant, id, {
        name: name ?? undefined,
        description,
        status: status ?? undefined,
        ...(metadata !== undefined && { metadata: metadataOf(metadata) }),
      })
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
