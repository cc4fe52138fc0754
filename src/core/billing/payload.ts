// Subscriptions and charges as webhooks show them: the REST objects, with every amount as an exact decimal string.
// docs/contract.md, "Events and webhooks".
import { explorerUrl } from '#core/chain/explorer.ts'
import type { Signature } from '#core/chain/types.ts'
import { record } from '#core/codec.ts'
import type { EventSubject } from '#core/events/subjects.ts'
import { CHARGE_FIELDS, type Charge, RECOVERY, type RecoveryAction } from './charge.ts'
import { CHARGE } from './charge-transfer.ts'
import { remainingAmount } from './room.ts'
import {
  type BillingSubscription,
  SUBSCRIPTION_FIELDS,
  SUBSCRIPTION_POLICY,
  SUBSCRIPTION_SUBJECT,
} from './subscription.ts'

// The event types of recurring billing, listed by GET /config. docs/contract.md, "Events and webhooks".

const SUBSCRIPTION_EVENT_TYPES = [
  'subscription.created',
  'subscription.activated',
  'subscription.trial_ending',
  'subscription.updated',
  'subscription.past_due',
  'subscription.renewal_required',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancel_scheduled',
  'subscription.canceled',
  'subscription.revoked',
  'subscription.exhausted',
  'subscription.failed',
] as const
export type SubscriptionEventType = (typeof SUBSCRIPTION_EVENT_TYPES)[number]

const CHARGE_EVENT_TYPES = ['charge.created', 'charge.succeeded', 'charge.failed'] as const
export type ChargeEventType = (typeof CHARGE_EVENT_TYPES)[number]

/** The events of what a person does with a subscription that goes on. */
export const CHANGE_EVENTS: readonly SubscriptionEventType[] = [
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancel_scheduled',
]

const subscriptionCodec = record(SUBSCRIPTION_FIELDS)
const chargeCodec = record(CHARGE_FIELDS)

/** Reads a snapshot. Throws RangeError with the place of a field that this version does not know. */
export const subscriptionFromJson = (json: unknown): BillingSubscription => subscriptionCodec.read(json, 'subscription')
export const chargeFromJson = (json: unknown): Charge => chargeCodec.read(json, 'charge')

export function subscriptionEventData(subscription: BillingSubscription) {
  const json = subscriptionCodec.write(subscription)
  return {
    id: json.id,
    tier_id: json.tierId,
    status: json.status,
    subscriber_wallet: json.subscriberWallet,
    mint: json.mint,
    unit_amount: json.unitAmount,
    discount: discountData(subscription),
    periods: json.periods,
    authorized_amount: json.authorizedAmount,
    spent_amount: json.spentAmount,
    remaining_amount: remainingAmount(subscription).toString(),
    delegation_epoch: json.delegationEpoch,
    period_index: json.periodIndex,
    current_period_start: json.currentPeriodStart,
    current_period_end: json.currentPeriodEnd,
    trial_ends_at: json.trialEndsAt,
    cancel_at_period_end: json.cancelAtPeriodEnd,
    stopped_by: json.stoppedBy,
    manageable: isManageable(subscription),
    billing_stopped: isBillingStopped(subscription),
    next_charge_at: json.nextChargeAt,
    approve_signature: json.approveSignature,
    metadata: json.metadata,
    version: json.version,
    created_at: json.createdAt,
    updated_at: json.updatedAt,
    activated_at: json.activatedAt,
    canceled_at: json.canceledAt,
    ended_at: json.endedAt,
  }
}

/** Returns the discount of a subscription; null when it has no coupon. */
function discountData({ couponId, discount, discountedAmount, discountedPeriods }: BillingSubscription) {
  if (discount === null) return null
  return {
    coupon_id: couponId,
    code: discount.code,
    percent_off: discount.percentOff,
    amount_off_usd_cents: discount.amountOffUsdCents === null ? null : Number(discount.amountOffUsdCents),
    amount: discountedAmount.toString(),
    periods_left: discountedPeriods,
  }
}

/** Returns the data of an event of a charge. `chain` is the chain of the charge, as `walletChainOf` names it. */
export function chargeEventData(charge: Charge, chain: string) {
  const json = chargeCodec.write(charge)
  return {
    id: json.id,
    subscription_id: json.subscriptionId,
    period_index: json.periodIndex,
    delegation_epoch: json.delegationEpoch,
    mint: json.mint,
    amount: json.amount,
    fee_amount: json.feeAmount,
    net_amount: json.netAmount,
    destination_ata: json.destinationAta,
    fee_destination: json.feeDestination,
    status: json.status,
    signature: json.signature,
    explorer_url: explorerUrlOf(charge.signature, chain),
    failure_code: json.failureCode,
    recovery_action: recoveryActionOf(charge),
    attempts: json.attempts,
    version: json.version,
    created_at: json.createdAt,
    settled_at: json.settledAt,
  }
}

// Subscriptions and charges as subjects of events: a snapshot of one becomes the payload of webhooks.

export const SUBSCRIPTION_EVENTS: EventSubject = {
  kind: SUBSCRIPTION_SUBJECT,
  types: SUBSCRIPTION_EVENT_TYPES,
  render: (data) => subscriptionEventData(subscriptionFromJson(data)),
}

export const CHARGE_EVENTS: EventSubject = {
  kind: CHARGE,
  types: CHARGE_EVENT_TYPES,
  render: (data, chain) => chargeEventData(chargeFromJson(data), chain),
}

// Fields of subscriptions and charges that are derived from others. Spec: "Subscription resources".

/** Returns `manageable`: whether the business or the subscriber can change it. */
export const isManageable = ({ status }: Pick<BillingSubscription, 'status'>): boolean =>
  SUBSCRIPTION_POLICY[status].isLive

/** Returns `billing_stopped`: whether nothing will be charged without an action of a person. */
export const isBillingStopped = ({ nextChargeAt }: Pick<BillingSubscription, 'nextChargeAt'>): boolean =>
  nextChargeAt === null

/** Returns `recovery_action`; null while the last try of the charge did not fail. */
export const recoveryActionOf = ({ failureCode }: Pick<Charge, 'failureCode'>): RecoveryAction | null =>
  failureCode === null ? null : RECOVERY[failureCode]

/**
 * Returns `explorer_url`: a page about the transaction, for people; null before there is one, and on a chain that the explorer
 * does not know. `walletChainOf` names the chain.
 */
export const explorerUrlOf = (signature: Signature | null, chain: string): string | null =>
  signature === null ? null : explorerUrl(signature, chain)
