// What a business sells by subscription: products, and the tiers that price them. Spec: "Subscriptions (merchant; API key or dashboard session)".
import type { CataloguePatch } from '#core/billing/catalogue.ts'
import type { TierInput } from '#core/billing/new-tier.ts'
import type { Product, ProductInput } from '#core/billing/product.ts'
import type { Tier } from '#core/billing/tier.ts'
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

export type TierServices = {
  /**
   * Creates a tier of a product. Everything that a charge depends on is computed here, and never changes. Throws `invalid_…` by
   * field, `tier_price_above_ceiling`, `authorization_total_too_large`, `product_not_found`, `product_archived`,
   * `marketplace_fee_unsupported`, `payout_destination_missing`, `payout_destination_invalid`,
   * `platform_wallet_unconfigured`, `subscription_service_unavailable` while the mint cannot be used, and `chain_unavailable`.
   */
  createTier(merchant: Merchant, productId: string, input: TierInput): Promise<Tier>
  /** Throws `tier_not_found`, for a malformed id and a tier of another business too, as the next does. */
  findTier(merchant: Merchant, id: string): Promise<Tier>
  /** Changes a tier. Throws `invalid_…` by field, and `product_archived` when it would be active in an archived product. */
  updateTier(merchant: Merchant, id: string, patch: CataloguePatch): Promise<Tier>
}

export type CatalogueServices = ProductServices & TierServices
