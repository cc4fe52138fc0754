// The hosted checkout of a subscription: its token is the credential. Spec: "Hosted checkout".
import type { Coupon } from '#core/billing/coupon.ts'
import type { TotalAuthorization } from '#core/billing/discount.ts'
import type { FirstCharge } from '#core/billing/first-charge.ts'
import type { Product } from '#core/billing/product.ts'
import type { SubscriptionIntent, SubscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { OfferedApprove } from '#services/billing/approvals/offer.ts'
import type { Challenge, GivenAnswer } from '#services/billing/wallet-proof.ts'

export type CheckoutView = {
  readonly intent: SubscriptionIntent
  readonly status: SubscriptionIntentStatus
  readonly merchantName: string
  readonly product: Product
  readonly tier: Tier
  /** The coupon that is entered; null without one. */
  readonly coupon: Coupon | null
  /** Whether a code can be entered. */
  readonly acceptsCoupons: boolean
  /** The charges of all periods. */
  readonly totalAuthorization: TotalAuthorization
  /** null before the checkout is completed. */
  readonly firstCharge: FirstCharge | null
  /** The days of the trial, for the wallet where it is known; 0 without one, and when the wallet had one of the product. */
  readonly trialDays: number
  /** When the trial of the subscription ends, or would end if the open checkout were completed now; null without a trial. */
  readonly trialEndsAt: Date | null
}

/** What the wallet agrees to with what is prepared. */
type PreparedTerms = {
  /** The days before the first charge; 0 when it is made at once. */
  readonly trialDays: number
  readonly totalAuthorization: TotalAuthorization
}

export type PreparedApprove = PreparedTerms & { readonly requiresSignature: true } & Omit<OfferedApprove, 'approvalId'>

/** A text for the wallet to sign: its allowance has room, so the signed text is the whole consent. */
export type PreparedProof = PreparedTerms & {
  readonly requiresSignature: false
  readonly subscriptionId: string
  readonly challenge: Challenge
}

export type PreparedCheckout = PreparedApprove | PreparedProof

export type ActivatedCheckout = {
  readonly status: 'completed' | 'confirmation_pending'
  readonly subscriptionId: string
}

/** Each throws `subscription_service_unavailable` while recurring billing is disabled, and `checkout_not_found`. */
export type CheckoutServices = {
  /** A completed, expired or canceled checkout can still be read. */
  readCheckout(token: string): Promise<CheckoutView>
  /**
   * Enters the coupon of a code, in place of another one; null takes it back. Returns the checkout with the new price. Throws
   * `checkout_completed`, `checkout_expired`, `checkout_closed`, `coupon_not_found`, `coupon_ended`, `coupon_not_for_product`,
   * `coupon_used_up`, and `authorization_pending` while an approve for the present price may still land.
   */
  enterCoupon(token: string, code: string | null): Promise<CheckoutView>
  /**
   * Returns a text for the wallet to sign when its allowance has room, and when others have left too many approves of the
   * wallet unsigned: then it gets an approve after it has confirmed with the text. Otherwise returns the transaction by which the wallet
   * gives a larger one; the same transaction while it may still land. Throws `checkout_completed`, `checkout_expired`, `checkout_closed`, `invalid_subscriber_wallet`, `wallet_not_permitted`,
   * `wallet_limit_reached`, `no_token_account`, `account_frozen`, `authorization_pending`, `authorization_total_too_large`,
   * `coupon_not_found`, `coupon_ended` and `coupon_used_up` for the coupon that is entered,
   * `rate_limited` when the fee payer has spent its budget or the wallet has got too many texts, and `chain_unavailable`.
   */
  prepareCheckout(token: string, wallet: string): Promise<PreparedCheckout>
  /**
   * Sends the prepared transaction with the signature of its owner, and waits up to 15 seconds until it is final. A repeat
   * is harmless. Throws `checkout_expired`, `checkout_closed`, `subscription_not_found` for the id of another checkout,
   * `invalid_signature`, `blockhash_expired` when it can no longer land, and `authorization_required` when it failed.
   */
  activateCheckout(
    token: string,
    given: { readonly subscriptionId: string; readonly transaction: Uint8Array },
  ): Promise<ActivatedCheckout>
  /**
   * Completes the checkout by the signed text. A repeat answers the same. Throws as `prepareCheckout` does, and
   * `incomplete_proof`, `invalid_signature`, and `authorization_required` when the allowance has no room any more.
   */
  confirmCheckout(token: string, given: GivenAnswer & { readonly wallet: string }): Promise<ActivatedCheckout>
  /**
   * Tries a first charge that failed once more. Throws `checkout_completed` after its success, `charge_in_progress`, and
   * `rate_limited` soon after a failure.
   */
  retryCheckout(token: string): Promise<FirstCharge>
}
