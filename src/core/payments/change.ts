// One atomic change of an intent and everything that changes with it. Core decides it, a store applies it whole.

import type { Actor, NewAuditEntry } from '#core/accounts/audit.ts'
import type { Address } from '#core/chain/types.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import {
  type Deposit,
  type IntentStatus,
  intentToJson,
  isForSeller,
  type PaymentIntent,
} from '#core/payments/payment-intent.ts'
import type { NewPaymentTransfer, PaymentLeg, PaymentTransfer } from '#core/payments/transfers.ts'
import { ARRIVAL_EVENT, type IntentEventType, isDocumented } from '#core/payments/transitions.ts'
import type { AttemptOutcome, NewLedgerEntry, ReleaseReason, StatusOverride } from '#core/transfers/transfer.ts'

/** An event with the intent as it was at its step: two steps in one change have two snapshots. */
export type IntentEvent = { readonly type: IntentEventType; readonly intent: PaymentIntent }

export type IntentChange = {
  /** As it was read: the change holds only while the stored version is still this one. */
  readonly before: PaymentIntent
  readonly after: PaymentIntent
  readonly events: readonly IntentEvent[]
  /** Inserted, or updated in use and senders, by (signature, account, asset). */
  readonly deposits: readonly Deposit[]
  /** Inserted once by (signature, account, asset). */
  readonly ledger: readonly NewLedgerEntry[]
  readonly transfers: readonly NewPaymentTransfer[]
  /** Why the operator releases held money, by the key of the transfer in this change that does it. */
  readonly releases: readonly { readonly key: string; readonly reason: ReleaseReason }[]
  /** Set when this change books an attempt's end. */
  readonly outcome: AttemptOutcome | null
  /** Set when this change puts a transfer aside, or takes it up again. */
  readonly statusOverride: StatusOverride | null
  /** Cuts that a sweep left to the seller, with their amounts. Set when the sweep is booked. */
  readonly waived?: readonly Pick<PaymentLeg, 'role' | 'amount'>[]
  /** Set when a person changes what is to become of held money: an entry of the audit log of the business. */
  readonly audit?: { readonly actor: Actor; readonly entry: NewAuditEntry }
}

/** The account that receives the money of an intent, with the facts that settling needs. */
export type Payee = {
  /** The account's derivation index: half of the deposit key's path. */
  readonly accountIndex: number
  readonly sweepDestination: Address | null
  /** Set on a payment for a seller: where the marketplace's cut goes. */
  readonly marketplace: { readonly feeDestination: Address | null } | null
}

/** All facts of an intent, read in one snapshot: the input of every decision. */
export type IntentFacts = {
  readonly intent: PaymentIntent
  readonly payee: Payee
  readonly deposits: readonly Deposit[]
  readonly transfers: readonly PaymentTransfer[]
}

/** The answer of a machine: a change, no change, or a refusal. */
export type Decision =
  | { readonly kind: 'moved'; readonly change: IntentChange }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly context?: ErrorContext }

export const UNCHANGED: Decision = { kind: 'unchanged' }
export const refused = (code: ErrorCode, context?: ErrorContext): Decision =>
  context === undefined ? { kind: 'refused', code } : { kind: 'refused', code, context }
export const moved = (change: IntentChange): Decision => ({ kind: 'moved', change })

/** The fields that can change after the creation. */
export type IntentPatch = Partial<
  Pick<
    PaymentIntent,
    | 'status'
    | 'statusReason'
    | 'selection'
    | 'received'
    | 'refundSender'
    | 'settlement'
    | 'refunds'
    | 'tokenRefunds'
    | 'latePayments'
    | 'held'
    | 'listTotals'
    | 'refundAddress'
    | 'customerDetails'
  >
>

/** Returns a change that alters nothing yet: every decision starts with it. */
export const startChange = (intent: PaymentIntent): IntentChange => ({
  before: intent,
  after: intent,
  events: [],
  deposits: [],
  ledger: [],
  transfers: [],
  releases: [],
  outcome: null,
  statusOverride: null,
})

/** Adds a step: patches the intent, raises its version, and adds the event when there is one. */
export function step(change: IntentChange, patch: IntentPatch, now: Date, event: IntentEventType | null): IntentChange {
  const after = { ...change.after, ...patch, version: change.after.version + 1, updatedAt: now }
  return {
    ...change,
    after,
    events: event === null ? change.events : [...change.events, { type: event, intent: after }],
  }
}

/**
 * Patches the intent as it is at the end of the change. The event of the last step, if it has one, shows the patch too: what a
 * change brings with it is in its event. Otherwise this is a step of its own, without an event.
 */
export function amend(change: IntentChange, patch: IntentPatch, now: Date): IntentChange {
  const last = change.events.at(-1)
  if (last?.intent !== change.after) return step(change, patch, now, null)
  const after = { ...change.after, ...patch, updatedAt: now }
  return { ...change, after, events: [...change.events.slice(0, -1), { ...last, intent: after }] }
}

/** Adds a step to a status, with the event of that status. Throws on a transition that is not in the table. */
export function moveTo(change: IntentChange, status: IntentStatus, patch: IntentPatch, now: Date): IntentChange {
  const from = change.after.status
  if (!isDocumented(from, status)) throw new Error(`undocumented transition: ${from} to ${status}`)
  return step(change, { statusReason: null, ...patch, status }, now, ARRIVAL_EVENT[status])
}

/** The type of their entry in the feed of a marketplace. No webhook, list of events or list of event types has it. */
export const INTENT_UPDATED = 'intent.updated'

/** Returns whether two states differ in more than their version and time. */
export function differsInState(later: PaymentIntent, earlier: PaymentIntent): boolean {
  const { version, updatedAt } = earlier
  return JSON.stringify(intentToJson({ ...later, version, updatedAt })) !== JSON.stringify(intentToJson(earlier))
}

/** Returns whether a change of a seller's payment ends in a state that its last event does not show. */
export function endsWithoutEvent({ before, after, events }: IntentChange): boolean {
  const shown = events.at(-1)?.intent ?? before
  return isForSeller(after) && after.version > shown.version && differsInState(after, shown)
}
