// Products that businesses sell by subscription.
import type { Tenant } from '#core/accounts/account.ts'
import type { Product } from '#core/billing/product.ts'

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
