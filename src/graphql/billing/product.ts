// A product that a business sells by subscription. Spec: "Subscription resources".
import type { Product } from '#core/billing/product.ts'
import { catalogueFields } from '#graphql/billing/catalogue.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'

export const CatalogueProduct = builder.interfaceRef<Product>('CatalogueProduct').implement({
  description: 'A product as its business and its subscribers see it.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the product, as REST shows it.' }),
    ...catalogueFields(t, 'product', 'Whether its tiers can have new checkouts.'),
  }),
})

guardBillingNode('SubscriptionProduct')

export const SubscriptionProductNode = builder.prismaNode('SubscriptionProduct', {
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
