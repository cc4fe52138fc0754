// The facts of a subscription that every decision of its machine starts from, read in one snapshot.
import type { Charge } from '#core/billing/charge.ts'
import type { ChargeTransfer } from '#core/billing/charge-transfer.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { Slice } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Authority } from '#core/chain/keys.ts'
import type { Address } from '#core/chain/types.ts'
import type { AttemptState } from '#core/transfers/transfer.ts'

/** A charge with its transfer, and the state of the transfer's live attempt; null when no attempt is live. */
export type ChargeFacts = {
  readonly charge: Charge
  readonly transfer: ChargeTransfer
  readonly live: AttemptState | null
}

/** The terms that charges are made by. */
export type BillingTerms = {
  readonly tier: Tier
  /** The token account of the tier's platform wallet; null when the tier has none. */
  readonly feeDestination: Address | null
  /** The delegate key of the network. */
  readonly delegate: Authority
}

export type BillingFacts = {
  readonly subscription: BillingSubscription
  /** The terms of the tier that the subscription is on. */
  readonly terms: BillingTerms
  /** The charge of the latest period; null before the first. Every earlier charge has succeeded or is canceled. */
  readonly charge: ChargeFacts | null
  readonly delegation: Delegation
  /** The slices of the other subscriptions of the delegation. */
  readonly others: readonly Slice[]
}

/** What a decision needs besides the facts. */
export type BillingContext = {
  readonly now: Date
  /** A fresh UUID, for the charge that the decision may create. It creates at most one. */
  readonly newChargeId: string
}
