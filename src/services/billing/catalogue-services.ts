// What a business sells by subscription: products. Spec: "Subscriptions (merchant; API key or dashboard session)".
import type { CataloguePatch } from '#core/billing/catalogue.ts'
import type { Product, ProductInput } from '#core/billing/product.ts'
import type { Merchant } from '#services/billing/billing-services.ts'

export type ProductServices = {
  /**
   * Creates a product. A repeat of an external id answers with the stored product, whatever the other fields are. Throws
   * `invalid_…` by field, and `product_exists` for the external id of an archived product.
   */
  createProduct(
    merchant: Merchant,
    input: ProductInput,
  ): Promise<{ readonly product: Product; readonly created: boolean }>
  /** Throws `product_not_found`, for a malformed id and a product of another business too, as the next does. */
  findProduct(merchant: Merchant, id: string): Promise<Product>
  /** Changes a product. Its tiers are archived with it, and become active with it again. Throws `invalid_…` by field. */
  updateProduct(merchant: Merchant, id: string, patch: CataloguePatch): Promise<Product>
}

export type CatalogueServices = ProductServices
