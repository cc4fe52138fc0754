// A product as its row.
import { decoderOf } from '#adapters/prisma/billing/decode.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { PRODUCT_FIELDS, type Product } from '#core/billing/product.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'

export const PRODUCT_OMIT = {
  searchText: true,
  searchParts: true,
} as const satisfies Prisma.SubscriptionProductOmit

export const productFromRow: (row: object) => Product = decoderOf('subscription_products', PRODUCT_FIELDS)

/** The columns of a product, with those by which a search finds it. A search finds words across the lines of a text. */
export function productColumns(product: Product) {
  const { name, description, externalId } = product
  const searchText = searchTextOf([name, description?.replace(/\s/g, ' ') ?? null, externalId])
  return { ...product, searchText, searchParts: [...searchPartsOf(searchText)] }
}
