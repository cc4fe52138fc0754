// Books the end of the transfer of a charge: charge, subscription, delegation and ledger change together. docs/money.md,
// "The protocol".
import { repaysItself } from '#core/billing/business-budget.ts'
import { periodOf } from '#core/billing/calendar.ts'
import type { Charge, FailureCode } from '#core/billing/charge.ts'
import { failureOfGivingUp } from '#core/billing/charge-preflight.ts'
import { afterPull, toReadAgain } from '#core/billing/delegation-state.ts'
import { afterCharge } from '#core/billing/discount.ts'
import { inPeriod } from '#core/billing/entitlement.ts'
import {
  type BillingChange,
  moveTo,
  type SubscriptionPatch,
  startChange,
  step,
  withCharge,
  withDelegation,
} from '#core/billing/machine/change.ts'
import { passOver } from '#core/billing/machine/charging.ts'
import { NOTHING_DUE, settleCoverage, settleDelegation } from '#core/billing/machine/coverage.ts'
import type { BillingContext, BillingFacts, ChargeFacts } from '#core/billing/machine/facts.ts'
import { failTry, retryFromOf } from '#core/billing/machine/failing.ts'
import { type BillingSubscription, isCharging } from '#core/billing/subscription.ts'
import type { ObservedTransaction, Signature } from '#core/chain/types.ts'
import { add } from '#core/money/amounts.ts'
import { ledgerOf, movedByLegs } from '#core/transfers/ledger.ts'
import type { Attempt, AttemptOutcome, NewLedgerEntry } from '#core/transfers/transfer.ts'

export type BookedCharge = {
  readonly attempt: Attempt & { readonly signature: Signature }
  readonly transaction: ObservedTransaction
  /** Why the transaction failed on the chain; null when it succeeded. */
  readonly failure: FailureCode | null
}

/** The reason of a transfer that is done, and whose legs received another amount than they name. For people. */
const DIFFERS = 'Another amount arrived than the charge says.'

/** Books the final transaction of a charge, also a failed one. Throws when the subscription has no charge. */
export function bookCharge(facts: BillingFacts, booked: BookedCharge, { now }: BillingContext): BillingChange {
  const own = ownCharge(facts)
  const { transaction, failure } = booked
  const change: BillingChange = {
    ...startChange(facts.subscription),
    outcome: outcomeOf(own, booked, now),
    ledger: ledgerOfCharge(facts, own, transaction),
  }
  if (failure === null) return succeed(change, facts, own.charge, transaction, now)
  const retryFrom = retryFromOf(facts.subscription, own.charge, failure, now)
  return failTry(change, facts, { ...own.charge, retryFrom }, failure, now)
}

/**
 * Books a pull of the charge that was found in the history of the token account: the attempt that made it is lost, or counted as
 * dead. Throws when the subscription has no charge.
 */
export function bookFound(
  facts: BillingFacts,
  transaction: ObservedTransaction,
  { now }: BillingContext,
): BillingChange {
  const own = ownCharge(facts)
  const change: BillingChange = {
    ...startChange(facts.subscription),
    outcome: successOf(own, { id: null, signature: transaction.signature }, transaction, now),
    ledger: ledgerOfCharge(facts, own, transaction),
  }
  return succeed(change, facts, own.charge, transaction, now)
}

/** Books that no attempt landed, each with proof, or that the signer refused the last one. */
export function bookUnlanded(
  facts: BillingFacts,
  attempt: Pick<Attempt, 'id' | 'signature'>,
  reason: string,
  { now }: BillingContext,
): BillingChange {
  const own = ownCharge(facts)
  const outcome: AttemptOutcome = {
    ...endOf(own, attempt, now),
    attemptState: 'dead',
    transferStatus: 'failed',
    reason,
    slot: null,
    moved: [],
  }
  const change = { ...startChange(facts.subscription), outcome }
  return failTry(change, facts, own.charge, failureOfGivingUp(attempt), now)
}

function ownCharge({ charge, subscription }: BillingFacts): ChargeFacts {
  if (charge === null) throw new Error(`subscription ${subscription.id} has no charge to book`)
  return charge
}

type Ended = Pick<Attempt, 'signature'> & { readonly id: string | null }

const endOf = ({ transfer }: ChargeFacts, { id, signature }: Ended, at: Date) => ({
  attemptId: id,
  transferId: transfer.id,
  fence: transfer.fence,
  signature,
  at,
})

function outcomeOf(own: ChargeFacts, { attempt, transaction, failure }: BookedCharge, now: Date): AttemptOutcome {
  if (failure === null) return successOf(own, attempt, transaction, now)
  return {
    ...endOf(own, attempt, now),
    slot: transaction.slot,
    attemptState: 'final_err',
    transferStatus: 'failed',
    reason: transaction.error ?? failure,
    moved: [],
  }
}

function successOf(own: ChargeFacts, attempt: Ended, transaction: ObservedTransaction, now: Date): AttemptOutcome {
  const end = { ...endOf(own, attempt, now), slot: transaction.slot }
  const moved = movedByLegs(own.transfer, transaction)
  const isAsPlanned = own.transfer.legs.every(({ amount }, at) => amount === moved[at])
  return { ...end, attemptState: 'final_ok', transferStatus: 'done', reason: isAsPlanned ? null : DIFFERS, moved }
}

/** Only the fee payer is an address of the service: the money goes from the subscriber to the business and the platform. */
const ledgerOfCharge = (
  { subscription, terms }: BillingFacts,
  { charge, transfer }: ChargeFacts,
  transaction: ObservedTransaction,
): readonly NewLedgerEntry[] =>
  ledgerOf(transaction, new Set([transaction.feePayer]), {
    network: charge.network,
    kind: transfer.kind,
    subjectId: charge.id,
    transferId: transfer.id,
    sponsoredId: transaction.error === null && repaysItself(charge, terms.tier) ? null : subscription.receiverAccountId,
  })

function succeed(
  change: BillingChange,
  facts: BillingFacts,
  charge: Charge,
  { signature, slot, blockTime }: ObservedTransaction,
  now: Date,
): BillingChange {
  const at = blockTime ?? now
  const { subscription, delegation } = facts
  const begun = subscription.status === 'incomplete' ? beginCalendar(subscription, charge, at) : null
  const paid = withCharge(
    withDelegation(change, delegation, toReadAgain(afterPull(delegation, charge.amount, slot, now), now)),
    charge,
    {
      status: 'succeeded',
      signature,
      failureCode: null,
      attempts: charge.attempts + 1,
      nextAttemptAt: null,
      settledAt: at,
      ...(begun !== null && { periodStart: begun.currentPeriodStart, periodEnd: begun.currentPeriodEnd }),
    },
    now,
    'charge.succeeded',
  )
  const spent: SubscriptionPatch = {
    spentAmount: add(subscription.spentAmount, charge.amount),
    ...afterCharge(subscription),
    ...passOver(subscription, charge.periodIndex + 1),
    activatedAt: subscription.activatedAt ?? now,
  }
  const arrived = arrive(paid, facts, { ...spent, ...(begun ?? backIn(subscription, charge)) }, now)
  return settleDelegation(settleCoverageIfCharging(arrived, facts, now), facts, now)
}

/** Moves the subscription to the status in which its next charge is waited for. A stopped one stays as it is. */
function arrive(change: BillingChange, facts: BillingFacts, patch: SubscriptionPatch, now: Date): BillingChange {
  const isFirst = change.after.activatedAt === null
  switch (change.after.status) {
    case 'incomplete':
    case 'trialing':
    case 'past_due': {
      const event = isFirst ? 'subscription.activated' : 'subscription.updated'
      return moveTo(change, facts, 'active', { ...patch, ...NOTHING_DUE }, now, event)
    }
    // Also the first charge after a trial: it was paused until its end, or has stopped with the charge under way.
    case 'active':
    case 'renewal_required':
    case 'paused':
    case 'revoked':
    case 'exhausted':
    case 'canceled':
    case 'failed':
      return step(change, facts, patch, now, isFirst ? 'subscription.activated' : null)
  }
}

const settleCoverageIfCharging = (change: BillingChange, facts: BillingFacts, now: Date): BillingChange =>
  isCharging(change.after) ? settleCoverage(change, facts, now) : change

/** A revoked subscription that had never paid is back in its trial, until a charge that was under way pays for its period. */
const backIn = (
  subscription: BillingSubscription,
  { periodIndex: index, periodStart: start, periodEnd: end }: Charge,
) => (end !== null && index > subscription.periodIndex ? inPeriod({ index, start, end }) : {})

/** The periods count from the block time of the first charge. */
function beginCalendar({ interval, intervalCount }: BillingSubscription, { periodIndex }: Charge, anchor: Date) {
  const { start, end } = periodOf({ anchor, anchorPeriod: periodIndex, interval, intervalCount }, periodIndex)
  return { anchor, anchorPeriod: periodIndex, ...inPeriod({ index: periodIndex, start, end }) }
}
