// The tiers of products.
import type { Tenant } from '#core/accounts/account.ts'
import type { Tier } from '#core/billing/tier.ts'

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
