// A product as its row.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Product } from '#core/billing/product.ts'
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'

export const PRODUCT_OMIT = {
  searchText: true,
  searchParts: true,
} as const satisfies Prisma.SubscriptionProductOmit

/** Returns the columns of a product, with those by which a search finds it. A search finds words across the lines of a text. */
export function productColumns(product: Product) {
  const { name, description, externalId } = product
  const searchText = searchTextOf([name, description?.replace(/\s/g, ' ') ?? null, externalId])
  return { ...product, searchText, searchParts: [...searchPartsOf(searchText)] }
}
