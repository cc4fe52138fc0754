// A product that a business sells by subscription. Spec: "Subscription resources".
import { catalogueStatus } from '#core/billing/catalogue.ts'
import { CatalogueStatusEnum } from '#graphql/billing/catalogue-status.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder } from '#graphql/builder.ts'
import { nodeKey } from '#graphql/node-key.ts'

guardBillingNode('SubscriptionProduct')

export const SubscriptionProductNode = builder.prismaNode('SubscriptionProduct', {
  description: 'A product that a business sells by subscription. Its tiers have the prices.',
  id: { field: 'id', description: 'The global id of the product, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'The id of the product, as REST shows it.', resolve: ({ id }) => id }),
    name: t.string({ description: 'The name of the product.', resolve: ({ name }) => name }),
    description: t.string({
      nullable: true,
      description: 'The description of the product.',
      resolve: ({ description }) => description,
    }),
    externalId: t.string({
      nullable: true,
      description: 'The idempotency key of its creation. It never changes.',
      resolve: ({ externalId }) => externalId,
    }),
    status: t.field({
      type: CatalogueStatusEnum,
      description: 'Whether its tiers can have new checkouts.',
      resolve: (product) => catalogueStatus(product),
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: 'Data of the business, as it was given.',
      resolve: ({ metadata }) => metadata,
    }),
    archivedAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was archived. Null while it is active.',
      resolve: ({ archivedAt }) => archivedAt,
    }),
    createdAt: t.field({
      type: 'DateTimeISO',
      description: 'The time of its creation.',
      resolve: ({ createdAt }) => createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTimeISO',
      description: 'The time of the last change.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
  }),
})
