// A product that a business sells by subscription. Spec: "Subscription resources".
import { metadataCodec } from '#core/billing/codecs.ts'
import { type Decoded, nullable, text, time, uuid } from '#core/codec.ts'

export const PRODUCT_FIELDS = {
  id: uuid,
  accountId: uuid,
  name: text,
  description: nullable(text),
  /** The idempotency key of its creation. It never changes. */
  externalId: nullable(text),
  metadata: metadataCodec,
  archivedAt: nullable(time),
  createdAt: time,
  updatedAt: time,
} as const

export type Product = Decoded<typeof PRODUCT_FIELDS>

export const CATALOGUE_STATUSES = ['active', 'archived'] as const
/** The status of a product or a tier. */
export type CatalogueStatus = (typeof CATALOGUE_STATUSES)[number]

export const catalogueStatus = ({ archivedAt }: Pick<Product, 'archivedAt'>): CatalogueStatus =>
  archivedAt === null ? 'active' : 'archived'
