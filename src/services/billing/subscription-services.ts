// What a business does with its subscriptions. Spec: "Subscriptions (merchant; API key or dashboard session)".
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Merchant } from '#services/billing/billing-services.ts'
import type { PortalLink } from '#services/billing/portal/links.ts'

/** A delegation as one business sees it: of the subscriptions on it, only its own. */
export type BusinessDelegation = Delegation & { readonly accountId: string }

/**
 * Every method throws `subscription_not_found`, for a malformed id and a subscription of another business too. Every change
 * throws `subscription_incomplete` before the first charge is final, and `subscription_ended` after the end.
 */
export type SubscriptionServices = {
  findSubscription(merchant: Merchant, id: string): Promise<BillingSubscription>
  /** Stops billing: the subscription ends with its period, or at once. A repeat changes nothing. */
  cancelSubscription(merchant: Merchant, id: string, atPeriodEnd: boolean): Promise<BillingSubscription>
  /** Stops charging until it is resumed. A repeat changes nothing. Throws `subscription_canceling`. */
  pauseSubscription(merchant: Merchant, id: string): Promise<BillingSubscription>
  /**
   * Lets charging go on, and clears a cancellation. Throws `authorization_exhausted`, and `subscription_paused` or
   * `subscription_canceling` when the subscriber has stopped it.
   */
  resumeSubscription(merchant: Merchant, id: string): Promise<BillingSubscription>
  /**
   * Charges what is due. Throws `charge_in_progress`, `charge_already_scheduled`, `subscription_canceling`,
   * `subscription_paused` when the subscriber has paused it, `authorization_exhausted`, and `rate_limited` soon after a failure on
   * the chain.
   */
  chargeNow(merchant: Merchant, id: string): Promise<BillingSubscription>
  /**
   * Changes the tier from the next charge on. Throws `wallet_proof_required` for a change that raises, `tier_not_found`,
   * `invalid_tier_id`, `same_tier`, `different_product`, `tier_archived`, `tier_mint_mismatch`, `subscription_paused`,
   * `subscription_canceling` and `authorization_exhausted`.
   */
  changeTier(merchant: Merchant, id: string, tierId: string): Promise<BillingSubscription>
  /** Returns a link to the portal for 24 hours. Its holder cannot raise what is charged. */
  createPortalLink(merchant: Merchant, id: string): Promise<PortalLink>
  /** Returns the delegation of a subscription that was found for the caller. */
  delegationOf(subscription: BillingSubscription): Promise<BusinessDelegation>
  /**
   * Returns the newest delegation of a wallet that has a subscription of the business. Throws `delegation_not_found` without
   * one, and for a text that is no address.
   */
  delegationOfWallet(merchant: Merchant, wallet: string): Promise<BusinessDelegation>
  /** Returns the number of live subscriptions of the business on the delegation. */
  countLiveOn(delegation: BusinessDelegation): Promise<number>
}
