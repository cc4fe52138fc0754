// One atomic change of a subscription and everything that changes with it. Core decides it, a store applies it whole.
import type { Charge } from '#core/billing/charge.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { ChargeEventType, SubscriptionEventType } from '#core/billing/event-types.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { NewChargeTransfer } from '#core/billing/transfers.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import type { AttemptOutcome, NewLedgerEntry, StatusOverride } from '#core/transfers/transfer.ts'

/** An event with its subject as it was at its step: two steps in one change have two snapshots. */
export type BillingEvent =
  | { readonly type: SubscriptionEventType; readonly subscription: BillingSubscription }
  | { readonly type: ChargeEventType; readonly charge: Charge }

export type BillingChange = {
  /** As it was read: the change holds only while the stored version is still this one. null when the change inserts it. */
  readonly before: BillingSubscription | null
  readonly after: BillingSubscription
  readonly events: readonly BillingEvent[]
  /** The charge as it is after the change: inserted, or updated by id. null when no charge changes. */
  readonly charges: readonly Charge[]
  readonly transfers: readonly NewChargeTransfer[]
  /** Set when this change books an attempt's end. */
  readonly outcome: AttemptOutcome | null
  /** Set when this change withdraws the transfer of a charge, or plans it again. */
  readonly statusOverride: StatusOverride | null
  /** Inserted once by (signature, account, asset). */
  readonly ledger: readonly NewLedgerEntry[]
  /** Set when the change alters the delegation, whose row the store locks. */
  readonly delegation: { readonly before: Delegation; readonly after: Delegation } | null
  /** The checkout that the change completes, as it was read and as it is after the change. */
  readonly checkout: { readonly before: SubscriptionIntent; readonly after: SubscriptionIntent } | null
}

/** The answer of a machine: a change, no change, or a refusal with the facts that the interface shows. */
export type Decision =
  | { readonly kind: 'moved'; readonly change: BillingChange }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly context: ErrorContext }

export const UNCHANGED: Decision = { kind: 'unchanged' }
export const moved = (change: BillingChange): Decision => ({ kind: 'moved', change })
export const refused = (code: ErrorCode, context: ErrorContext = {}): Decision => ({ kind: 'refused', code, context })
