// The hosted portal of a subscription, and the recovery of links to it. Spec: "Hosted portal".
import type { Charge } from '#core/billing/charge.ts'
import type { PortalSession } from '#core/billing/portal-session.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { UsdCents } from '#core/money/amounts.ts'
import type { SubscriptionDetails } from '#ports/portal.ts'
import type { OfferedApprove } from '#services/billing/approvals/offer.ts'
import type { PortalLink } from '#services/billing/portal/links.ts'
import type { Challenge, GivenAnswer } from '#services/billing/wallet-proof.ts'

/** The payments that a change of terms authorizes. The discounted ones come first. */
export type PortalOffer = {
  readonly tierId: string
  readonly payments: number
  readonly discountedPayments: number
  /** The price of a period with the discount. */
  readonly discountedPriceUsdCents: UsdCents
  readonly totalUsdCents: bigint
}

export type PortalView = SubscriptionDetails & {
  readonly session: PortalSession
  /** The other tiers of the product that are on sale. */
  readonly options: readonly Tier[]
  /** What a renewal of the present tier authorizes, and a change to each of the other tiers. */
  readonly offers: readonly PortalOffer[]
  /** How many more payments the authorization allows, an unpaid one included; 0 when it has ended. */
  readonly paymentsLeft: number
  /** What a renewal authorizes: the charges of all periods of the tier, in US cents and in base units. */
  readonly totalAuthorization: { readonly usdCents: bigint; readonly baseUnits: bigint }
  readonly recoveryUrl: string
  /** Whether `revokeInPortal` has something to offer, by the last reading of the token account. */
  readonly revocable: boolean
  /** The charges of the latest periods, the newest first. */
  readonly charges: readonly Charge[]
}

export type ChangedTerms = {
  readonly outcome: 'changed' | 'renewed'
  readonly subscription: BillingSubscription
}

/** What the transaction of an approval has led to. */
export type Activated = ChangedTerms | { readonly outcome: 'revoked'; readonly subscription: BillingSubscription }

/** A transaction for the wallet that ends its allowance, and has the signature of the fee payer. */
export type OfferedRevocation = Pick<OfferedApprove, 'approvalId' | 'transaction' | 'expiresAt'>

/** The outcome of a request for other terms. docs/billing.md, "Changes of terms". */
export type TermOutcome =
  | ChangedTerms
  | { readonly outcome: 'proof_required'; readonly challenge: Challenge }
  | { readonly outcome: 'approval_required'; readonly approve: OfferedApprove }

export type Recovery = { readonly challengeUrl: string; readonly verifyUrl: string }

export type RecoveredLink = SubscriptionDetails & { readonly link: PortalLink }

/**
 * Each throws `subscription_service_unavailable` while recurring billing is disabled; each with a token throws
 * `portal_not_found` and `portal_session_expired`. Each that changes the subscription throws `subscription_incomplete` and
 * `subscription_ended`.
 */
export type PortalServices = {
  /** The token account is read when its last reading is older than 10 seconds. */
  readPortal(token: string): Promise<PortalView>
  cancelInPortal(token: string, atPeriodEnd: boolean): Promise<BillingSubscription>
  /** Throws `subscription_canceling` and `authorization_exhausted`. */
  pauseInPortal(token: string): Promise<BillingSubscription>
  /**
   * Throws `authorization_exhausted`, `rate_limited` after 15 changes of the subscription in five minutes, and
   * `wallet_proof_required` when the subscriber has stopped it and the link is one of the business.
   */
  resumeInPortal(token: string): Promise<BillingSubscription>
  /**
   * Changes the tier from the next charge on. Throws `invalid_tier_id`, `tier_not_found`, `same_tier`, `different_product`,
   * `tier_archived`, `tier_mint_mismatch`, `subscription_paused`, `subscription_canceling`, `authorization_exhausted`,
   * `rate_limited` after 15 changes of the subscription in five minutes,
   * `wallet_proof_required` for a raise by a link of the business, and for a raise as `renewInPortal` does.
   */
  changeTierInPortal(token: string, tierId: string, answer: GivenAnswer): Promise<TermOutcome>
  /**
   * Authorizes all periods of the tier again. Throws `wallet_proof_required` for a link of the business, `nothing_to_renew`,
   * `subscription_paused`, `subscription_canceling` for a subscription that can be resumed instead,
   * `incomplete_proof`, `invalid_signature`, `authorization_pending`, `authorization_total_too_large`, `no_token_account`,
   * `account_frozen`, `rate_limited` and `chain_unavailable`.
   */
  renewInPortal(token: string, answer: GivenAnswer): Promise<TermOutcome>
  /**
   * Offers the end of the allowance of a canceled subscription, also by a link of the business. Throws `allowance_in_use`,
   * `nothing_to_revoke`, `authorization_pending`, `no_token_account`, `account_frozen`, `rate_limited` and `chain_unavailable`.
   */
  revokeInPortal(token: string): Promise<OfferedRevocation>
  /**
   * Sends the approve of a change, or the revocation, with the signature of its owner, and waits up to 15 seconds until it is
   * final: null when that takes longer. A repeat is harmless. Throws `wallet_proof_required` for an approve by a link of the
   * business, `subscription_changed`, `invalid_signature`, `blockhash_expired` and `authorization_required`.
   */
  activateInPortal(
    token: string,
    given: { readonly approvalId: string; readonly transaction: Uint8Array },
  ): Promise<Activated | null>
  /** Returns where a wallet asks for its links, and where it sends the signed text. */
  recovery(): Recovery
  /** Returns a text by which a wallet asks for its links. Throws `invalid_subscriber_wallet` and `rate_limited`. */
  challengeForLinks(wallet: string): Promise<Challenge>
  /**
   * Returns a link to each subscription of the wallet that can be managed, the newest first. Throws
   * `invalid_subscriber_wallet`, `incomplete_proof` and `invalid_signature`.
   */
  recoverLinks(wallet: string, answer: GivenAnswer): Promise<readonly RecoveredLink[]>
}
