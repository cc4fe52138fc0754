// Subscriptions as the pages of their subscribers show them. No edge gets this store.
import type { Charge } from '#core/billing/charge.ts'
import type { Product } from '#core/billing/product.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Address, Network } from '#core/chain/types.ts'

export type SubscriptionDetails = {
  readonly subscription: BillingSubscription
  readonly product: Product
  readonly tier: Tier
  /** The name of the business that buyers see. */
  readonly merchantName: string
}

export type PortalPages = {
  details(subscriptionId: string): Promise<SubscriptionDetails | null>
  /** Returns the subscriptions of a wallet that can be managed, the newest first. */
  manageableOf(network: Network, wallet: Address, limit: number): Promise<readonly SubscriptionDetails[]>
  /** Returns the charges of a subscription, the newest period first. */
  charges(subscriptionId: string, limit: number): Promise<readonly Charge[]>
  /** Returns the tiers of a product that are not archived, the newest first. */
  activeTiers(productId: string, limit: number): Promise<readonly Tier[]>
}
