// The checkouts that a business creates. The page of a checkout has a store of its own.
import type { Tenant } from '#core/accounts/account.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'

export type CreatedCheckout = 'created' | 'tier_archived' | 'seller_archived'

export type SubscriptionIntentStore = {
  find(tenant: Tenant, id: string): Promise<SubscriptionIntent | null>
  /** Inserts a checkout with the hash of its token. Nothing is written when its tier, or the seller, is archived meanwhile. */
  create(tenant: Tenant, intent: SubscriptionIntent, tokenHash: Uint8Array): Promise<CreatedCheckout>
  /** Writes a change over the version that was read. Returns false when the stored version is another one. */
  replace(tenant: Tenant, intent: SubscriptionIntent, version: number): Promise<boolean>
}
