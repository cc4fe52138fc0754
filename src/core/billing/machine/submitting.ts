// The checks of a charge before an attempt: submitted, failed without a transaction, or no longer wanted.
import type { Charge, FailureCode } from '#core/billing/charge.ts'
import { isOpen } from '#core/billing/entitlement.ts'
import { type Decision, moved, startChange, step, UNCHANGED, withCharge } from '#core/billing/machine/change.ts'
import { isUnderWay } from '#core/billing/machine/charging.ts'
import { decideDue } from '#core/billing/machine/due.ts'
import type { BillingContext, BillingFacts, ChargeFacts } from '#core/billing/machine/facts.ts'
import { failTry } from '#core/billing/machine/failing.ts'
import { scheduleOf } from '#core/billing/machine/schedule.ts'
import { isCharging } from '#core/billing/subscription.ts'
import { isLeasedBy, type Lease } from '#core/transfers/transfer.ts'

/**
 * Does what time has brought since the charge was planned: after downtime, its period, its dunning or its subscription may be
 * over, and then it is canceled. A charge is only planned, whatever its status says, until a transaction of it is signed.
 * `unchanged` when nothing is due.
 */
export function decideUnsigned(facts: BillingFacts, context: BillingContext): Decision {
  const { subscription, charge: own } = facts
  if (own === null || isUnderWay(own) || !isOpen(own.charge)) return UNCHANGED
  const charge = own.charge.status === 'submitted' ? { ...own.charge, status: 'pending' as const } : own.charge
  const { dueAt } = scheduleOf(subscription, charge)
  return decideDue({ ...facts, subscription: { ...subscription, dueAt }, charge: { ...own, charge } }, context)
}

/**
 * Marks the charge as submitted before its attempt is prepared. What time has brought is done first, and a charge that is no
 * longer wanted, because its subscription stopped while an earlier attempt was under way, is canceled. `unchanged` when the
 * lease is lost. Only a decision that `submits` permits an attempt.
 */
export function decideSubmitted(facts: BillingFacts, lease: Lease, context: BillingContext): Decision {
  const { now } = context
  const own = leasedCharge(facts, lease)
  if (own === null || isEarly(own.charge, now)) return UNCHANGED
  const due = decideUnsigned(facts, context)
  if (due.kind === 'moved') return due
  const start = startChange(facts.subscription)
  if (isCharging(facts.subscription)) {
    const submitted = withCharge(start, own.charge, { status: 'submitted' }, now, null)
    return moved(step(submitted, facts, {}, now, null))
  }
  const canceled = withCharge(start, own.charge, { status: 'canceled', nextAttemptAt: null }, now, null)
  return moved(step({ ...canceled, statusOverride: withdrawn(lease, NOT_WANTED) }, facts, {}, now, null))
}

/** The first charge begins its period itself, by a clock that may be a little ahead of the chain. */
const isEarly = ({ periodStart, periodEnd }: Charge, now: Date): boolean => periodEnd !== null && periodStart > now

const NOT_WANTED = 'The subscription is no longer charged.'

/** Returns whether the decision permits an attempt. */
export const submits = (decision: Decision): boolean =>
  decision.kind === 'moved' && decision.change.charges.some(({ status }) => status === 'submitted')

/**
 * Lets a charge fail without a transaction, because it cannot succeed. What time has brought is done first. `unchanged` when
 * the lease is lost.
 */
export function decideFailed(facts: BillingFacts, lease: Lease, code: FailureCode, context: BillingContext): Decision {
  const own = leasedCharge(facts, lease)
  if (own === null) return UNCHANGED
  const due = decideUnsigned(facts, context)
  if (due.kind === 'moved') return due
  const withdrawal = { ...startChange(facts.subscription), statusOverride: withdrawn(lease, code) }
  return moved(failTry(withdrawal, facts, own.charge, code, context.now))
}

const withdrawn = ({ transferId, fence }: Lease, reason: string) =>
  ({ transferId, status: 'failed', reason, fence }) as const

/** Returns the charge while the lease is valid, and no attempt of it is live. */
function leasedCharge({ charge: own }: BillingFacts, lease: Lease): ChargeFacts | null {
  if (own === null || own.live !== null || own.transfer.id !== lease.transferId) return null
  return isLeasedBy(lease, own.transfer) && isOpen(own.charge) ? own : null
}
