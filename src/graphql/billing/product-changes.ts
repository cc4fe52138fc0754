// The operations of a business on its products.
import type { Product } from '#core/billing/product.ts'
import {
  catalogueChangeInput,
  catalogueChangeOf,
  DESCRIPTION,
  idOf,
  METADATA,
  metadataOf,
} from '#graphql/billing/catalogue.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { SubscriptionProductNode } from '#graphql/billing/product.ts'
import { builder, REFUSED } from '#graphql/builder.ts'

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
