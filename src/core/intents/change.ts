// One atomic change of an intent and everything that changes with it. Core decides it, a store applies it whole.
import type { Address } from '#core/chain/types.ts'
import type { IntentEventType } from '#core/intents/events.ts'
import type { Deposit, PaymentIntent } from '#core/intents/intent.ts'
import type { AttemptOutcome, NewLedgerEntry, NewTransfer, Transfer } from '#core/transfers/transfer.ts'

/** An event and the intent as it stood then, so that two steps in one change tell two truths. */
export type IntentEvent = { readonly type: IntentEventType; readonly intent: PaymentIntent }

export type IntentChange = {
  /** As it was read: the change holds only while the stored version is still this one. */
  readonly before: PaymentIntent
  readonly after: PaymentIntent
  readonly events: readonly IntentEvent[]
  /** Inserted, or updated in state and use, by (signature, account, asset). */
  readonly deposits: readonly Deposit[]
  /** Inserted once by (signature, account, asset). */
  readonly ledger: readonly NewLedgerEntry[]
  readonly transfers: readonly NewTransfer[]
  /** Set when this change books an attempt's end. */
  readonly outcome: AttemptOutcome | null
}

/** Everything known of an intent, read in one snapshot: what the machine decides from. */
/** Whose money an intent's is, as far as settling it needs to know. */
export type Payee = {
  /** The account's derivation index: half of the deposit key's path. */
  readonly accountIndex: number
  readonly sweepDestination: Address | null
  /** Set on a payment for a seller: where the marketplace's cut goes. */
  readonly marketplace: { readonly feeDestination: Address | null } | null
}

export type IntentFacts = {
  readonly intent: PaymentIntent
  readonly payee: Payee
  readonly deposits: readonly Deposit[]
  readonly transfers: readonly Transfer[]
}
