// One atomic change of a subscription and everything that changes with it. Core decides it, a store applies it whole.
import type { Charge, ChargeStatus } from '#core/billing/charge.ts'
import type { NewChargeTransfer } from '#core/billing/charge-transfer.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { ChargeEventType, SubscriptionEventType } from '#core/billing/payload.ts'
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import type { AttemptOutcome, NewLedgerEntry, StatusOverride } from '#core/transfers/transfer.ts'
import type { BillingFacts } from './facts.ts'
import { scheduleOf } from './schedule.ts'

// The table of every transition that a subscription and a charge may make. A pair that is missing here cannot happen.

/** Whether the interface documents the transition (`spec`) or docs/billing.md adds it (`ours`). */
type Origin = 'spec' | 'ours'

type Table<Status extends string> = Readonly<Record<Status, Readonly<Partial<Record<Status, Origin>>>>>

const SUBSCRIPTION_TRANSITIONS: Table<SubscriptionStatus> = {
  incomplete: { active: 'spec', failed: 'ours' },
  // To exhausted as active.
  trialing: {
    active: 'ours',
    past_due: 'ours',
    paused: 'ours',
    revoked: 'ours',
    exhausted: 'ours',
    canceled: 'ours',
  },
  // To exhausted only when nothing is authorized for a period that has begun.
  active: {
    renewal_required: 'ours',
    past_due: 'ours',
    paused: 'ours',
    revoked: 'ours',
    exhausted: 'ours',
    canceled: 'spec',
  },
  // Back to active by a renewal, or when a period was passed over.
  renewal_required: {
    active: 'ours',
    past_due: 'ours',
    paused: 'ours',
    revoked: 'ours',
    exhausted: 'ours',
    canceled: 'spec',
  },
  past_due: { active: 'ours', paused: 'ours', revoked: 'ours', exhausted: 'ours', canceled: 'spec' },
  // To exhausted when it is resumed with nothing authorized for the present period.
  paused: { trialing: 'ours', active: 'ours', exhausted: 'ours', canceled: 'spec' },
  revoked: { trialing: 'ours', active: 'ours', canceled: 'spec' },
  exhausted: { active: 'ours', canceled: 'spec' },
  canceled: {},
  failed: {},
}

const CHARGE_TRANSITIONS: Table<ChargeStatus> = {
  // Without a transaction to failed or canceled. To succeeded from another status than submitted only by a pull that was found in
  // the history, because the ledger had lost it.
  pending: { submitted: 'ours', succeeded: 'ours', failed: 'spec', canceled: 'ours' },
  // Only a proof that its transaction cannot land ends it without success.
  submitted: { submitted: 'ours', succeeded: 'spec', failed: 'spec', canceled: 'ours' },
  failed: { pending: 'ours', succeeded: 'ours', canceled: 'ours' },
  succeeded: {},
  // When billing goes on within the period.
  canceled: { pending: 'ours', succeeded: 'ours' },
}

const isDocumented = <Status extends string>(table: Table<Status>, from: Status, to: Status): boolean =>
  table[from][to] !== undefined

/** An event with its subject as it was at its step: two steps in one change have two snapshots. */
export type BillingEvent =
  | { readonly type: SubscriptionEventType; readonly subscription: BillingSubscription }
  | { readonly type: ChargeEventType; readonly charge: Charge }

export type BillingChange = {
  /** As it was read: the change holds only while the stored version is still this one. null when the change inserts it. */
  readonly before: BillingSubscription | null
  readonly after: BillingSubscription
  readonly events: readonly BillingEvent[]
  /** Charges as they are after the change: inserted with version 1, or updated where the version is one less. */
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

const NOTHING_ELSE = {
  events: [],
  charges: [],
  transfers: [],
  outcome: null,
  statusOverride: null,
  ledger: [],
  delegation: null,
  checkout: null,
} as const

/** Returns a change that alters nothing yet: every decision starts with it. */
export const startChange = (subscription: BillingSubscription): BillingChange => ({
  before: subscription,
  after: subscription,
  ...NOTHING_ELSE,
})

/** Returns a change that inserts a subscription. */
export const startInsert = (subscription: BillingSubscription): BillingChange => ({
  before: null,
  after: subscription,
  ...NOTHING_ELSE,
})

/** Returns the charge of the latest period after the change. */
export const latestCharge = ({ charges }: Pick<BillingChange, 'charges'>, facts: Pick<BillingFacts, 'charge'> | null) =>
  charges.at(-1) ?? facts?.charge?.charge ?? null

/** The fields that can change after the creation. */
export type SubscriptionPatch = Partial<
  Omit<
    BillingSubscription,
    'id' | 'network' | 'accountId' | 'delegationId' | 'version' | 'createdAt' | 'updatedAt' | 'nextChargeAt' | 'dueAt'
  >
>

/**
 * Adds a step: patches the subscription, computes its next times from the charges of the change, raises its version, and
 * adds the event when there is one.
 */
export function step(
  change: BillingChange,
  facts: Pick<BillingFacts, 'charge'>,
  patch: SubscriptionPatch,
  now: Date,
  event: SubscriptionEventType | null,
): BillingChange {
  const patched = { ...change.after, ...patch, version: change.after.version + 1, updatedAt: now }
  const after = { ...patched, ...scheduleOf(patched, latestCharge(change, facts)) }
  return {
    ...change,
    after,
    events: event === null ? change.events : [...change.events, { type: event, subscription: after }],
  }
}

/** Adds a step to a status. Throws on a transition that is not in the table. */
export function moveTo(
  change: BillingChange,
  facts: Pick<BillingFacts, 'charge'>,
  status: SubscriptionStatus,
  patch: SubscriptionPatch,
  now: Date,
  event: SubscriptionEventType,
): BillingChange {
  const from = change.after.status
  if (!isDocumented(SUBSCRIPTION_TRANSITIONS, from, status))
    throw new Error(`undocumented transition of a subscription: ${from} to ${status}`)
  return step(change, facts, { ...patch, status }, now, event)
}

/** The fields of a charge that can change after its creation. Its amounts and destinations never do. */
export type ChargePatch = Partial<
  Pick<
    Charge,
    | 'status'
    | 'periodStart'
    | 'periodEnd'
    | 'delegationEpoch'
    | 'signature'
    | 'failureCode'
    | 'attempts'
    | 'firstFailedAt'
    | 'nextAttemptAt'
    | 'settledAt'
  >
>

/** Adds the next state of a charge, once a change. Throws on a transition that is not in the table. */
export function withCharge(
  change: BillingChange,
  charge: Charge,
  patch: ChargePatch & Pick<Charge, 'status'>,
  now: Date,
  event: ChargeEventType | null,
): BillingChange {
  if (!isDocumented(CHARGE_TRANSITIONS, charge.status, patch.status))
    throw new Error(`undocumented transition of a charge: ${charge.status} to ${patch.status}`)
  if (change.charges.some(({ id }) => id === charge.id)) throw new Error('a change moves a charge once')
  return withEvent(change, { ...charge, ...patch, version: charge.version + 1, updatedAt: now }, event)
}

/** Adds a new charge with its transfer. */
export const withNewCharge = (change: BillingChange, charge: Charge, transfer: NewChargeTransfer): BillingChange => ({
  ...withEvent(change, charge, 'charge.created'),
  transfers: [...change.transfers, transfer],
})

const withEvent = (change: BillingChange, charge: Charge, event: ChargeEventType | null): BillingChange => ({
  ...change,
  charges: [...change.charges, charge],
  events: event === null ? change.events : [...change.events, { type: event, charge }],
})

/** Returns the change with the next state of the delegation. */
export const withDelegation = (change: BillingChange, before: Delegation, after: Delegation): BillingChange => ({
  ...change,
  delegation: { before, after },
})
