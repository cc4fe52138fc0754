// Checkouts of subscriptions, as the page of a token reads and completes them. No edge gets this store.
import type { Charge } from '#core/billing/charge.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Address, Network } from '#core/chain/types.ts'

/** A checkout with what it is for. */
export type StoredCheckout = {
  readonly intent: SubscriptionIntent
  readonly product: Product
  readonly tier: Tier
  /** The name of the business that buyers see. */
  readonly merchantName: string
  /** The account whose endpoints receive its events: the owner, or the marketplace of a seller. */
  readonly receiverAccountId: string
  /** Whether the business is an archived seller: the checkout can then not be completed. */
  readonly isArchived: boolean
  /** The charge of period 0, once the checkout is completed. */
  readonly firstCharge: Charge | null
}

/** What an authorization is decided by: each part is written only over what was read. */
export type DecidedCheckout = {
  /** With a reading of its token account. */
  readonly delegation: Delegation
  /** The version of the delegation that was read; `NOT_STORED` for a new one, which is stored with the decision. */
  readonly version: number
  readonly checkout: { readonly before: SubscriptionIntent; readonly after: SubscriptionIntent } | null
}

export type SubscriptionCheckoutStore = {
  /** Returns the checkout whose token has this hash. */
  findByToken(tokenHash: Uint8Array): Promise<StoredCheckout | null>
  find(intentId: string): Promise<StoredCheckout | null>
  /** Returns the delegation of the wallet for the mint; null when it has none. */
  findDelegation(network: Network, wallet: Address, mint: Address): Promise<Delegation | null>
  /** Stores a decision that needs no approve. Returns false, with nothing written, when something has changed since it was read. */
  reserve(decided: DecidedCheckout): Promise<boolean>
  /** Returns how many subscriptions of the wallet are incomplete or live. */
  countOfWallet(network: Network, wallet: Address): Promise<number>
}
