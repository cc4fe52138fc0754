// The subscriptions and charges of all businesses, as the operator reads them. No other edge gets this store.
import type { Charge, ChargeStatus } from '#core/billing/charge.ts'
import type { DelegationStatus } from '#core/billing/delegation.ts'
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'
import type { Address, Network } from '#core/chain/types.ts'

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
  /** Why its transfer waits or failed, or what is wrong with it, for people. */
  readonly reason: string | null
}

/** The state of recurring billing on a network. */
export type BillingOverview = {
  /** A status that is missing has none. */
  readonly subscriptions: readonly { readonly status: SubscriptionStatus; readonly count: number }[]
  readonly delegations: readonly { readonly status: DelegationStatus; readonly count: number }[]
  /** Charges whose time has come, and that are not sent. */
  readonly due: number
  /** Charges with a transaction that may land. */
  readonly inFlight: number
  /** The charge that waits the longest since its time came, sent or not, and the reason of its transfer. */
  readonly oldest: { readonly subscriptionId: string; readonly since: Date; readonly reason: string | null } | null
  /** Failed charges that may be tried again: the business cannot receive, or the service could not make them. */
  readonly unpayable: number
  readonly broken: number
  /** Charges of the last 7 days that succeeded and moved another amount than they say, up to 100, and the newest. */
  readonly differing: { readonly count: number; readonly newest: string | null }
  readonly key: {
    /** Failed charges of which the signer signed no transaction. */
    readonly unsigned: number
    /** Open charges that were planned with another delegate key. */
    readonly otherKeys: number
    /** Token accounts that name the delegate key, and token accounts that name another delegate. */
    readonly ownDelegations: number
    readonly otherDelegations: number
  }
}

/** What the subscriptions of a business have cost the fee payer, in lamports. */
export type CostlyBusiness = { readonly accountId: string; readonly cost: bigint }

export type OperatorBillingStore = {
  /** Returns subscriptions, the newest first. */
  subscriptions(filter: SubscriptionFilter): Promise<readonly BillingSubscription[]>
  subscription(id: string): Promise<BillingSubscription | null>
  /** Returns charges, the newest first. */
  charges(filter: ChargeFilter): Promise<readonly ListedCharge[]>
  charge(id: string): Promise<ListedCharge | null>
  /** Returns the figures of recurring billing. `delegate`: the delegate key of the network. */
  overview(network: Network, at: { readonly now: Date; readonly delegate: Address }): Promise<BillingOverview>
  /** Returns the business whose subscriptions have cost the fee payer the most since a time; null when none has cost anything. */
  costliest(network: Network, since: Date): Promise<CostlyBusiness | null>
}
