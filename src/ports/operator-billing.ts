// The subscriptions and charges of all businesses, as the operator reads them. No other edge gets this store.
import type { Charge, ChargeStatus } from '#core/billing/charge.ts'
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'
import type { Address } from '#core/chain/types.ts'

/** null shows all. */
type BillingFilter = {
  readonly accountId: string | null
  /** The wallet of the subscriber. */
  readonly wallet: Address | null
  readonly limit: number
}

export type SubscriptionFilter = BillingFilter & { readonly status: SubscriptionStatus | null }
export type ChargeFilter = BillingFilter & {
  readonly status: ChargeStatus | null
  readonly subscriptionId: string | null
}

export type ListedCharge = Charge & {
  /** The wallet of the subscriber. */
  readonly wallet: Address
  /** Why its transfer waits or failed, for people. */
  readonly reason: string | null
}

export type OperatorBillingStore = {
  /** Returns subscriptions, the newest first. */
  subscriptions(filter: SubscriptionFilter): Promise<readonly BillingSubscription[]>
  subscription(id: string): Promise<BillingSubscription | null>
  /** Returns charges, the newest first. */
  charges(filter: ChargeFilter): Promise<readonly ListedCharge[]>
  charge(id: string): Promise<ListedCharge | null>
}
