// The fields that products and tiers share.
import { type CatalogueEntry, catalogueStatus } from '#core/billing/catalogue.ts'
import { CatalogueStatusEnum } from '#graphql/billing/catalogue-status.ts'
import type { InterfaceFieldsOf } from '#graphql/builder.ts'

type Catalogued = CatalogueEntry & { readonly createdAt: Date }

/** `status`: what its two values mean. */
export const catalogueFields = <Shape extends Catalogued>(
  t: InterfaceFieldsOf<Shape>,
  noun: string,
  status: string,
) => ({
  name: t.string({ description: `The name of the ${noun}.`, resolve: ({ name }) => name }),
  description: t.string({
    nullable: true,
    description: `The description of the ${noun}.`,
    resolve: ({ description }) => description,
  }),
  status: t.field({ type: CatalogueStatusEnum, description: status, resolve: (one) => catalogueStatus(one) }),
  metadata: t.field({
    type: 'JSONObject',
    description: 'Data of the business, as it was given. Subscribers see it.',
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
})
