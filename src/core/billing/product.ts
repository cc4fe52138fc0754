// A product that a business sells by subscription. Spec: "Subscription resources".
import { type CataloguePatch, judgeTexts, orNull } from '#core/billing/catalogue.ts'
import { type Decoded, nullable, text, time, uuid } from '#core/codec.ts'
import type { ErrorCode } from '#core/errors.ts'
import { type Metadata, metadataCodec } from '#core/metadata.ts'
import { isKey } from '#core/text.ts'

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

/** What a business gives for a new product. */
export type ProductInput = {
  readonly name: string
  readonly description: string | null
  readonly externalId: string | null
  readonly metadata: Metadata
}

const MAX_NAME = 200
const MAX_EXTERNAL_ID = 255

/** Returns the code of the first rule that the fields break; null when there is none. Spec: "Limits". */
export function judgeProduct(
  fields: Pick<CataloguePatch, 'name' | 'description'> & Partial<Pick<ProductInput, 'externalId'>>,
): ErrorCode | null {
  const { externalId } = fields
  if (typeof externalId === 'string' && !isKey(externalId, MAX_EXTERNAL_ID)) return 'invalid_external_id'
  return judgeTexts(fields, MAX_NAME)
}

export const newProduct = (input: ProductInput, of: { id: string; accountId: string; at: Date }): Product => ({
  ...input,
  id: of.id,
  accountId: of.accountId,
  description: orNull(input.description),
  archivedAt: null,
  createdAt: of.at,
  updatedAt: of.at,
})
