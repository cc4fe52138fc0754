// What happens to the charge of a subscription: planned, tried again, canceled.
import type { Charge } from '#core/billing/charge.ts'
import { chargeTransfer } from '#core/billing/charge-transfer.ts'
import { nextAmount } from '#core/billing/discount.ts'
import { triableAt } from '#core/billing/dunning.ts'
import { chargeableAt, isOpen, periodToCharge } from '#core/billing/entitlement.ts'
import {
  type BillingChange,
  latestCharge,
  startChange,
  step,
  withCharge,
  withNewCharge,
} from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts, BillingTerms, ChargeFacts } from '#core/billing/machine/facts.ts'
import { remainingAmount } from '#core/billing/room.ts'
import { type BillingSubscription, isCharging } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BaseUnits, mulBpsFloor, subtract, ZERO } from '#core/money/amounts.ts'

/**
 * Returns whether a transaction of the charge may have been sent: until its end is proved, the charge is neither canceled nor
 * planned again. A prepared attempt is not signed: withdrawing the transfer ends it.
 */
export const isUnderWay = ({ live }: Pick<ChargeFacts, 'live'>): boolean => live !== null && live !== 'prepared'

/** Returns the open charge after the change; null when there is none. */
export function openCharge(change: BillingChange, facts: Pick<BillingFacts, 'charge'>): Charge | null {
  const latest = latestCharge(change, facts)
  return latest !== null && isOpen(latest) ? latest : null
}

/** Adds the charge of a period, with its transfer. */
export function planCharge(
  change: BillingChange,
  terms: BillingTerms,
  period: { readonly index: number; readonly start: Date; readonly end: Date | null },
  { now, newChargeId }: BillingContext,
): BillingChange {
  const { tier, feeDestination, delegate } = terms
  const { id: subscriptionId, network, accountId, mint, delegationEpoch, subscriberWallet } = change.after
  const amount = nextAmount(change.after)
  const split = splitCharge(amount, tier)
  assertCovered(change.after, amount)
  const charge: Charge = {
    id: newChargeId,
    network,
    accountId,
    subscriptionId,
    periodIndex: period.index,
    periodStart: period.start,
    periodEnd: period.end,
    delegationEpoch,
    mint,
    ...split,
    destinationAta: tier.payoutAta,
    feeDestination: split.feeAmount > 0n ? feeDestination : null,
    status: 'pending',
    signature: null,
    failureCode: null,
    attempts: 0,
    firstFailedAt: null,
    nextAttemptAt: now,
    retryFrom: null,
    dunningAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    settledAt: null,
  }
  return withNewCharge(change, charge, chargeTransfer(charge, tier, { wallet: subscriberWallet, delegate }))
}

/**
 * Plans the transfer of a failed or canceled charge again, for the time from which it may be tried. It keeps its key, its
 * amounts, its destinations, and the time at which it would have been tried next.
 */
export function planAgain(
  change: BillingChange,
  { charge, transfer }: ChargeFacts,
  { now }: Pick<BillingContext, 'now'>,
): BillingChange {
  assertCovered(change.after, charge.amount)
  const { nextAttemptAt } = charge
  const patch = {
    status: 'pending',
    failureCode: null,
    nextAttemptAt: triableAt(charge, now),
    dunningAt: nextAttemptAt !== null && nextAttemptAt > now ? nextAttemptAt : null,
    delegationEpoch: change.after.delegationEpoch,
  } as const
  const statusOverride = { transferId: transfer.id, status: 'planned', reason: null, fence: null } as const
  return { ...withCharge(change, charge, patch, now, null), statusOverride }
}

/** Throws when the slice does not cover the amount: the machine has then moved to `exhausted`, or canceled the charge. */
function assertCovered(subscription: BillingSubscription, amount: BaseUnits): void {
  if (remainingAmount(subscription) < amount)
    throw new Error(`a charge of ${amount} is above the slice of subscription ${subscription.id}`)
}

/** Plans the charge of the next period when it is due, while billing goes on. The slice covers it. At most one charge is open. */
export function planDue(change: BillingChange, facts: BillingFacts, context: BillingContext): BillingChange {
  const subscription = change.after
  if (!isCharging(subscription)) return change
  const latest = latestCharge(change, facts)
  const period = periodToCharge(subscription)
  const at = chargeableAt(subscription, latest)
  if (period === null || at === null || at > context.now || openCharge(change, facts) !== null) return change
  // A charge of this period that was canceled before it was paid: its key exists, and must not move money twice.
  const again = facts.charge?.charge.periodIndex === period.index ? facts.charge : null
  return again === null ? planCharge(change, facts.terms, period, context) : planAgain(change, again, context)
}

/**
 * Plans the charge of a period whose pull was found, and whose row is lost: whatever the subscription is by now, and without the
 * waits of a time in which the service was down. null when it is not the next period to charge, or the slice does not cover it.
 */
export function planFound(facts: BillingFacts, periodIndex: number, context: BillingContext): BillingChange | null {
  const { subscription, charge: own, terms } = facts
  const period = periodToCharge(subscription)
  if (period?.index !== periodIndex || (own !== null && isOpen(own.charge))) return null
  if (own?.charge.periodIndex === periodIndex || remainingAmount(subscription) < nextAmount(subscription)) return null
  return settleTimes(planCharge(startChange(subscription), terms, period, context), facts, context.now)
}

/** Cancels the open charge and withdraws its transfer, unless a transaction of it may land: then it goes on. */
export function cancelOpen(
  change: BillingChange,
  facts: Pick<BillingFacts, 'charge'>,
  reason: string,
  { now }: Pick<BillingContext, 'now'>,
): BillingChange {
  const { charge: own } = facts
  if (own === null || !isOpen(own.charge) || isUnderWay(own)) return change
  const canceled = withCharge(change, own.charge, { status: 'canceled', nextAttemptAt: null }, now, null)
  const { id: transferId, status } = own.transfer
  if (status === 'failed') return canceled
  return { ...canceled, statusOverride: { transferId, status: 'failed', reason, fence: null } }
}

/** Passes over the periods before `index`: they are never charged. */
export const passOver = (
  { nextChargePeriod }: Pick<BillingSubscription, 'nextChargePeriod'>,
  index: number,
): Pick<BillingSubscription, 'nextChargePeriod'> => ({ nextChargePeriod: Math.max(nextChargePeriod, index) })

/** Returns the change with a last step, so that the next times of the subscription follow from its charges. */
export const settleTimes = (change: BillingChange, facts: Pick<BillingFacts, 'charge'>, now: Date): BillingChange =>
  step(change, facts, {}, now, null)

/** Divides an amount of base units. The fee is rounded down; without a platform wallet it is 0. */
export function splitCharge(
  amount: BaseUnits,
  { platformFeeBps, platformWallet }: Pick<Tier, 'platformFeeBps' | 'platformWallet'>,
): Pick<Charge, 'amount' | 'feeAmount' | 'netAmount'> {
  const feeAmount = platformWallet === null ? ZERO : mulBpsFloor(amount, platformFeeBps)
  return { amount, feeAmount, netAmount: subtract(amount, feeAmount) }
}
