// What a business sells by subscription: products, the tiers that price them, and checkouts of tiers. Spec: "Subscriptions (merchant; API key or dashboard session)".
import type { Tenant } from '#core/accounts/account.ts'
import type { CataloguePatch, RedirectDomain } from '#core/billing/catalogue.ts'
import type { CouponInput } from '#core/billing/coupon.ts'
import type { Product, ProductInput } from '#core/billing/product.ts'
import type { SubscriptionIntent, SubscriptionIntentInput } from '#core/billing/subscription-intent.ts'
import type { Tier, TierInput } from '#core/billing/tier.ts'
import type { CountedCoupon, DomainAuthorship } from '#ports/catalogue.ts'
import type { Merchant } from '#services/billing/billing-services.ts'

export type ProductServices = {
  /**
   * Creates a product. A repeat of an external id answers with the stored product, whatever the other fields are. Throws
   * `invalid_…` by field, and `product_exists` for the external id of an archived product.
   */
  createProduct(
    merchant: Merchant,
    input: ProductInput,
    id?: string,
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
  createTier(merchant: Merchant, productId: string, input: TierInput, id?: string): Promise<Tier>
  /** Throws `tier_not_found`, for a malformed id and a tier of another business too, as the next does. */
  findTier(merchant: Merchant, id: string): Promise<Tier>
  /** Changes a tier. Throws `invalid_…` by field, and `product_archived` when it would be active in an archived product. */
  updateTier(merchant: Merchant, id: string, patch: CataloguePatch): Promise<Tier>
}

export type CouponServices = {
  /**
   * Creates a coupon. Its terms never change. Throws `invalid_coupon` with the field, `coupon_exists` while an active coupon has the
   * code, `product_not_found`, and `product_archived`.
   */
  createCoupon(merchant: Merchant, input: CouponInput, id?: string): Promise<CountedCoupon>
  /** Throws `coupon_not_found`, for a malformed id and a coupon of another business too, as the next does. */
  findCoupon(merchant: Merchant, id: string): Promise<CountedCoupon>
  /** Archives a coupon: no other checkout can use it. A repeat changes nothing. */
  archiveCoupon(merchant: Merchant, id: string): Promise<CountedCoupon>
}

/** Who changes a domain, and whose audit log has the change. */
export type DomainAuthor = Omit<DomainAuthorship, 'at'>

export type DomainServices = {
  /** Registers a host, or makes the registered one active again. Throws `invalid_host`. */
  createDomain(
    merchant: Merchant,
    host: string,
    author: DomainAuthor,
    id?: string,
  ): Promise<{ readonly domain: RedirectDomain; readonly created: boolean }>
  /** Throws `domain_not_found`, for a malformed id and a domain of another business too, as the next does. */
  findDomain(merchant: Merchant, id: string): Promise<RedirectDomain>
  /** Makes a domain inactive: later checkouts cannot redirect there. A repeat changes nothing. */
  archiveDomain(merchant: Merchant, id: string, author: DomainAuthor): Promise<RedirectDomain>
  /** Returns whether a page of the origin may embed the checkouts of the business: its host is an active domain. */
  mayEmbed(business: Pick<Tenant, 'accountId' | 'network'>, origin: string): Promise<boolean>
}

/** A checkout after its creation. The token is shown here, and never again. */
export type CreatedSubscriptionIntent = {
  readonly intent: SubscriptionIntent
  readonly checkoutToken: string
  readonly checkoutUrl: string
}

export type SubscriptionIntentServices = {
  /**
   * Creates a checkout of a tier. Throws `invalid_tier_id`, `invalid_subscriber_wallet`, `invalid_redirect_url`,
   * `invalid_expires_in`, `tier_not_found`, `product_archived`, `tier_archived`, `tier_mint_mismatch`, as `findUsable` does for its
   * coupon, and `subscription_service_unavailable` while the settlement mint cannot be used.
   */
  createIntent(merchant: Merchant, input: SubscriptionIntentInput, id?: string): Promise<CreatedSubscriptionIntent>
  /** Returns a checkout as its creation did. Throws `intent_not_found`, for a checkout of another business too. */
  findCreatedIntent(merchant: Merchant, id: string): Promise<CreatedSubscriptionIntent>
  /** Throws `intent_not_found`, for a malformed id and a checkout of another business too, as the next does. */
  findIntent(merchant: Merchant, id: string): Promise<SubscriptionIntent>
  /** Cancels an open checkout; a canceled one stays as it is. Throws `intent_not_open` for any other. */
  cancelIntent(merchant: Merchant, id: string): Promise<SubscriptionIntent>
}
