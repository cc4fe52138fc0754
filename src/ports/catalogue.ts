// What businesses sell by subscription: products, their tiers and coupons, the checkouts of tiers, and the hosts that these redirect
// to.
import type { Tenant } from '#core/accounts/account.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import type { RedirectDomain } from '#core/billing/catalogue.ts'
import type { Coupon, CouponUses } from '#core/billing/coupon.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'

export type SubscriptionProductStore = {
  find(tenant: Tenant, id: string): Promise<Product | null>
  findByExternalId(tenant: Tenant, externalId: string): Promise<Product | null>
  /** Inserts a product. Concurrent creates with one external id make one product; the others get the stored product. */
  create(tenant: Tenant, product: Product): Promise<{ readonly product: Product; readonly created: boolean }>
  /**
   * Stores what `decide` makes of the product while its row is locked. The active tiers of a product are archived with it,
   * and become active with it again. Null when the tenant has no such product.
   */
  change(tenant: Tenant, id: string, decide: (product: Product) => Product): Promise<Product | null>
}

export type SubscriptionTierStore = {
  find(tenant: Tenant, id: string): Promise<Tier | null>
  /** Inserts a tier. Returns false, with nothing written, when its product is archived meanwhile. */
  create(tenant: Tenant, tier: Tier): Promise<boolean>
  /**
   * Stores what `decide` makes of the tier while its row is locked, and its product cannot change. Null when the tenant has no
   * such tier. An error that `decide` throws leaves everything as it was.
   */
  change(
    tenant: Tenant,
    id: string,
    decide: (state: { readonly tier: Tier; readonly isProductArchived: boolean }) => Tier,
  ): Promise<Tier | null>
}

/** A coupon with the number of checkouts that use it. */
export type CountedCoupon = Coupon & Pick<CouponUses, 'uses'>

export type LimitedCoupon = Pick<Coupon, 'id' | 'maxUses' | 'maxUsesPerWallet'>

export type SubscriptionCouponStore = {
  /** A checkout finds a coupon of its business, as the business does. */
  find(business: Pick<Tenant, 'accountId'>, id: string): Promise<Coupon | null>
  /** Finds the active coupon with a code, as `couponCodeOf` writes it. */
  findByCode(business: Pick<Tenant, 'accountId'>, code: string): Promise<Coupon | null>
  /** Counts all checkouts that use the coupon. */
  countUses(coupon: Pick<Coupon, 'id'>): Promise<number>
  /**
   * Counts the uses of other checkouts than `intentId`, in all and of a wallet, each as far as its limit needs it; none without a
   * limit, and none of a wallet that is null.
   */
  usesBy(
    coupon: LimitedCoupon,
    by: { readonly wallet: string | null; readonly intentId: string | null },
  ): Promise<CouponUses>
  /** Inserts a coupon. Returns false, with nothing written, when an active coupon has its code. */
  create(tenant: Tenant, coupon: Coupon): Promise<boolean>
  /** Archives a coupon; an archived one stays as it is. Null when the tenant has no such coupon. */
  archive(tenant: Tenant, id: string, at: Date): Promise<Coupon | null>
}

/** Who changes a domain. The change is in the audit log of `logOf`: the business, or the marketplace of a seller. */
export type DomainAuthorship = Authorship & { readonly logOf: string }

/** The hosts to which checkouts of a business may redirect. A change writes an entry of an audit log. */
export type RedirectDomainStore = {
  find(tenant: Tenant, id: string): Promise<RedirectDomain | null>
  /** Inserts a domain. The stored domain of the host is made active instead, if there is one. */
  create(
    tenant: Tenant,
    domain: RedirectDomain,
    by: DomainAuthorship,
  ): Promise<{ readonly domain: RedirectDomain; readonly created: boolean }>
  /** Makes a domain inactive. Null when the tenant has no such domain. */
  archive(tenant: Tenant, id: string, by: DomainAuthorship): Promise<RedirectDomain | null>
  /** Returns which of the hosts are active domains. */
  active(tenant: Tenant, hosts: readonly string[]): Promise<ReadonlySet<string>>
}

export type CreatedCheckout = 'created' | 'tier_archived' | 'seller_archived'

/** The checkouts that a business creates. The page of a checkout has a store of its own. */
export type SubscriptionIntentStore = {
  find(tenant: Tenant, id: string): Promise<SubscriptionIntent | null>
  /** Inserts a checkout with the hash of its token. Nothing is written when its tier, or the seller, is archived meanwhile. */
  create(tenant: Tenant, intent: SubscriptionIntent, tokenHash: Uint8Array): Promise<CreatedCheckout>
  /** Writes a change over the version that was read. Returns false when the stored version is another one. */
  replace(tenant: Tenant, intent: SubscriptionIntent, version: number): Promise<boolean>
}
