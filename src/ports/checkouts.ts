// Checkouts of subscriptions, as the page of a token reads and completes them. No edge gets this store.

import type { Approval, ApprovalEnd, ApprovalEnds, NewApproval } from '#core/billing/approval.ts'
import type { Charge } from '#core/billing/charge.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { Product } from '#core/billing/product.ts'
import type { SponsoringLimit } from '#core/billing/sponsoring.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'

/** A checkout with what it is for. */
export type StoredCheckout = {
  readonly intent: SubscriptionIntent
  readonly product: Product
  readonly tier: Tier
  /** The coupon that is entered; null without one. */
  readonly coupon: Coupon | null
  /** Whether the business has a coupon that can be entered: active, and for this product. */
  readonly acceptsCoupons: boolean
  /** The name of the business that buyers see. */
  readonly merchantName: string
  /** The account whose endpoints receive its events: the owner, or the marketplace of a seller. */
  readonly receiverAccountId: string
  /** Whether the business is an archived seller: the checkout can then not be completed. */
  readonly isArchived: boolean
  /** The charge of period 0, once the checkout is completed; null with a trial, whose period 0 has none. */
  readonly firstCharge: Charge | null
  /** When the trial of its subscription ends; null without one. */
  readonly trialEndsAt: Date | null
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
  /** Returns whether a subscription of the wallet, also one that has ended, began with a trial of the product. */
  hadTrial(network: Network, productId: string, wallet: Address): Promise<boolean>
  /**
   * Stores another coupon of an open checkout. `pending`: an approve for the present total may still land. `moved_on`: the checkout has
   * changed since it was read.
   */
  enterCoupon(checkout: NonNullable<DecidedCheckout['checkout']>): Promise<'stored' | 'pending' | 'moved_on'>
  /** Returns how many subscriptions of the wallet are incomplete or live. */
  countOfWallet(network: Network, wallet: Address): Promise<number>
}

// Stored approves. No edge gets this store.

/** An approve with the delegation that it changes. */
export type DelegatedApproval = { readonly approval: Approval; readonly delegation: Delegation }

export type ApprovalStore = {
  find(id: string): Promise<DelegatedApproval | null>
  /** Returns the approve of the delegation that may still land. */
  live(delegationId: string): Promise<Approval | null>
  /** Returns the approve of a checkout that has these bytes as its message. */
  findByMessage(intentId: string, message: Uint8Array): Promise<DelegatedApproval | null>
  /** Returns the most that approves since then have cost the fee payer, or may still cost it, in lamports. */
  spentSince(network: Network, since: Date): Promise<bigint>
  /** Counts the approves that have ended since then, by their end. */
  countEnds(network: Network, since: Date): Promise<ApprovalEnds>
  /** Returns approves that may still land, the oldest first. */
  watched(network: Network, limit: number): Promise<readonly Approval[]>
  /**
   * Stores a prepared approve, with the delegation by which it was decided and its checkout. The fee payer signs it after
   * that. `moved_on`: one of them has changed, or another approve of the delegation may still land. A limit of sponsoring
   * refuses it, `perDay` in lamports. Then nothing is written. `provenAt`: when the owner of the wallet got the text, or the
   * link, by whose proof the approve is asked for; null without one.
   */
  prepare(
    approval: NewApproval,
    decided: DecidedCheckout & { readonly perDay: Lamports; readonly provenAt: Date | null },
  ): Promise<'stored' | 'moved_on' | SponsoringLimit>
  /**
   * Stores the signature by the fee payer, before the transaction is shown. `ended`: the approve has. `taken`: it has the same
   * bytes as an earlier one, which was prepared with the same blockhash.
   */
  recordSponsored(id: string, signature: Signature): Promise<'recorded' | 'ended' | 'taken'>
  /** Ends an approve that the fee payer has not signed. Returns false when it has, or another caller was first. */
  endUnsponsored(id: string, at: Date): Promise<boolean>
  /**
   * Stores the transaction with the signature of its owner, before it is sent. One that is proved dead stays so: its signature came
   * too late. Returns false when it is stored already, and when its subscription is no longer at the version that it was prepared for.
   */
  recordSigned(id: string, wire: Uint8Array): Promise<boolean>
  /**
   * Ends an approve that completes nothing, with the fee that it took. `delegation` is set when the approve is final.
   * Returns false, with nothing written, when the approve has ended or the delegation has changed since it was read.
   */
  end(
    end: ApprovalEnd,
    effect: {
      readonly ledger: readonly NewLedgerEntry[]
      readonly delegation: { readonly before: Delegation; readonly after: Delegation } | null
    },
  ): Promise<boolean>
  /**
   * Removes approves that were proved dead before a time, and delegations that no approve and no subscription has used since then, at
   * most `limit` of each. Returns the larger number.
   */
  removeUnused(before: Date, limit: number): Promise<number>
}
