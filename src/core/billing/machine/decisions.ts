// The decisions of the machine of a subscription, as services call them.
import type { FailureCode } from '#core/billing/charge.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingChange, Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts, BillingTerms } from '#core/billing/machine/facts.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { NewTerms, TermChange, TermConsent, TermOrder } from '#core/billing/term-change.ts'
import type { Address, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { Attempt, Lease } from '#core/transfers/transfer.ts'

/** A checkout whose allowance or signed text was accepted. */
export type Completion = {
  readonly checkout: SubscriptionIntent
  readonly subscriptionId: string
  readonly receiverAccountId: string
  readonly wallet: Address
  readonly terms: BillingTerms
  readonly delegation: Delegation
  /** The epoch that covers the slice: the next one after an approve, the present one after a signed text. */
  readonly epoch: number
  /** The approve; null after a signed text. */
  readonly approveSignature: Signature | null
}

export type BookedCharge = {
  readonly attempt: Attempt & { readonly signature: Signature }
  readonly transaction: ObservedTransaction
  /** Why the transaction failed on the chain; null when it succeeded. */
  readonly failure: FailureCode | null
}

export type BillingMachine = {
  /** Completes a checkout: the subscription is incomplete, and its first charge is planned. */
  decideCompletion(completion: Completion, context: BillingContext): Decision
  /** Does what is due by time: periods, charges, retries, and the ends of dunning. */
  decideDue(facts: BillingFacts, context: BillingContext): Decision
  /** Before an attempt: the charge is submitted. `unchanged` when the lease is lost or the charge is no longer wanted. */
  decideSubmitted(facts: BillingFacts, lease: Lease, context: BillingContext): Decision
  /** A charge that cannot succeed fails without a transaction. */
  decideFailed(facts: BillingFacts, lease: Lease, code: FailureCode, context: BillingContext): Decision
  /** Books the final transaction of a charge, also a failed one. */
  bookCharge(facts: BillingFacts, booked: BookedCharge, context: BillingContext): BillingChange
  /** Books that no attempt landed, with proof. */
  bookUnlanded(facts: BillingFacts, attempt: Attempt, reason: string, context: BillingContext): BillingChange
  /** The wallet of a past-due subscription holds `balance` base units: the charge is tried at once when it is enough. */
  decideRefilled(facts: BillingFacts, balance: BaseUnits, context: BillingContext): Decision
  /** The allowance does not cover the subscription any more. */
  decideRevoked(facts: BillingFacts, context: BillingContext): Decision
  decidePause(facts: BillingFacts, context: BillingContext): Decision
  decideResume(facts: BillingFacts, context: BillingContext): Decision
  decideChargeNow(facts: BillingFacts, context: BillingContext): Decision
  decideCancel(facts: BillingFacts, atPeriodEnd: boolean, context: BillingContext): Decision
  /** The retry of a first charge that failed. */
  decideRetry(facts: BillingFacts, context: BillingContext): Decision
  /** Judges a request by arithmetic: nothing changes. */
  judgeTermChange(facts: BillingFacts, order: TermOrder): TermChange
  /** Applies terms that were judged, and agreed to where that is necessary. `next` are the terms of the new tier. */
  decideTermChange(
    facts: BillingFacts,
    order: { readonly kind: TermOrder['kind']; readonly agreed: NewTerms; readonly next: BillingTerms },
    consent: TermConsent,
    context: BillingContext,
  ): Decision
}
