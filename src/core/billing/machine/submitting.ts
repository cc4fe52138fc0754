// The checks of a charge before an attempt: submitted, failed without a transaction, or no longer wanted.
import type { FailureCode } from '#core/billing/charge.ts'
import { isOpen } from '#core/billing/entitlement.ts'
import { type Decision, moved, startChange, step, UNCHANGED, withCharge } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts, ChargeFacts } from '#core/billing/machine/facts.ts'
import { failTry } from '#core/billing/machine/failing.ts'
import { SUBSCRIPTION_POLICY } from '#core/billing/status-policy.ts'
import { isLeasedBy, type Lease } from '#core/transfers/transfer.ts'

/**
 * Marks the charge as submitted before its attempt is prepared. A charge that is no longer wanted, because its subscription
 * stopped while an earlier attempt was under way, is canceled. `unchanged` when the lease is lost. Only a decision that
 * `submits` permits an attempt.
 */
export function decideSubmitted(facts: BillingFacts, lease: Lease, { now }: BillingContext): Decision {
  const own = leasedCharge(facts, lease)
  if (own === null || own.charge.periodStart > now) return UNCHANGED
  const start = startChange(facts.subscription)
  if (SUBSCRIPTION_POLICY[facts.subscription.status].isCharging) {
    const submitted = withCharge(start, own.charge, { status: 'submitted' }, now, null)
    return moved(step(submitted, facts, {}, now, null))
  }
  const canceled = withCharge(start, own.charge, { status: 'canceled', nextAttemptAt: null }, now, null)
  return moved(step({ ...canceled, statusOverride: withdrawn(lease, NOT_WANTED) }, facts, {}, now, null))
}

const NOT_WANTED = 'The subscription is no longer charged.'

/** Returns whether the decision permits an attempt. */
export const submits = (decision: Decision): boolean =>
  decision.kind === 'moved' && decision.change.charges.some(({ status }) => status === 'submitted')

/** Lets a charge fail without a transaction, because it cannot succeed. `unchanged` when the lease is lost. */
export function decideFailed(facts: BillingFacts, lease: Lease, code: FailureCode, { now }: BillingContext): Decision {
  const own = leasedCharge(facts, lease)
  if (own === null) return UNCHANGED
  const withdrawal = { ...startChange(facts.subscription), statusOverride: withdrawn(lease, code) }
  return moved(failTry(withdrawal, facts, own.charge, code, now))
}

const withdrawn = ({ transferId, fence }: Lease, reason: string) =>
  ({ transferId, status: 'failed', reason, fence }) as const

/** Returns the charge while the lease is valid, and no attempt of it is live. */
function leasedCharge({ charge: own }: BillingFacts, lease: Lease): ChargeFacts | null {
  if (own === null || own.live !== null || own.transfer.id !== lease.transferId) return null
  return isLeasedBy(lease, own.transfer) && isOpen(own.charge) ? own : null
}
