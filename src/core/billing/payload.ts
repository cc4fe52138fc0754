// Subscriptions and charges as webhooks show them: the REST objects, with every amount as an exact decimal string.
// docs/contract.md, "Events and webhooks".
import { CHARGE_FIELDS, type Charge } from '#core/billing/charge.ts'
import { remainingAmount } from '#core/billing/room.ts'
import { type BillingSubscription, SUBSCRIPTION_FIELDS } from '#core/billing/subscription.ts'
import { explorerUrlOf, isBillingStopped, isManageable, recoveryActionOf } from '#core/billing/views.ts'
import { record } from '#core/codec.ts'

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
    periods: json.periods,
    authorized_amount: json.authorizedAmount,
    spent_amount: json.spentAmount,
    remaining_amount: remainingAmount(subscription).toString(),
    delegation_epoch: json.delegationEpoch,
    period_index: json.periodIndex,
    current_period_start: json.currentPeriodStart,
    current_period_end: json.currentPeriodEnd,
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
