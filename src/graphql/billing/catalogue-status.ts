// The status of a product or a tier.
import type { CatalogueStatus } from '#core/billing/catalogue.ts'
import { builder } from '#graphql/builder.ts'

export const CatalogueStatusEnum = builder.enumType('CatalogueStatus', {
  description: 'Whether a product or a tier can have new checkouts.',
  values: {
    active: { description: 'It can have new checkouts.' },
    archived: { description: 'It has no new checkouts. Running subscriptions go on.' },
  } satisfies Record<CatalogueStatus, object>,
})
