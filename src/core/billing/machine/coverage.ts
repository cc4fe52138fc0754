// The status of a subscription that is charged, by the periods that its slice still covers, and of the delegation, by its slices.
import { hasNoCover, judgeDelegation } from '#core/billing/delegation-state.ts'
import { inPeriod, remainingPeriods, unpaidPeriods, usablePeriod } from '#core/billing/entitlement.ts'
import { type BillingChange, latestCharge, moveTo, withDelegation } from '#core/billing/machine/change.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { sliceOf } from '#core/billing/room.ts'

/** `last`: nothing is authorized after the periods that have begun. `none`: not even for these. */
export type Coverage = 'enough' | 'last' | 'none'

/** Returns for how long the slice lasts. An open charge is always a part of it. */
export function coverageOf({ after }: Pick<BillingChange, 'after'>): Coverage {
  const unpaid = unpaidPeriods(after)
  const left = remainingPeriods(after)
  if (unpaid > 0 && left === 0) return 'none'
  return left <= unpaid ? 'last' : 'enough'
}

/** Moves an active subscription to `renewal_required`, or further to `exhausted`, when its slice does not last. */
export function settleCoverage(change: BillingChange, facts: Pick<BillingFacts, 'charge'>, now: Date): BillingChange {
  const { status } = change.after
  switch (coverageOf(change)) {
    case 'none':
      return status === 'incomplete'
        ? change
        : moveTo(change, facts, 'exhausted', NOTHING_DUE, now, 'subscription.exhausted')
    case 'last':
      return status === 'active'
        ? moveTo(change, facts, 'renewal_required', {}, now, 'subscription.renewal_required')
        : change
    case 'enough':
      return status === 'renewal_required' ? moveTo(change, facts, 'active', {}, now, 'subscription.updated') : change
  }
}

/** Dunning is over. */
export const NOTHING_DUE = { pastDueSince: null, dunningAttempts: 0 } as const

/** Moves to `revoked`, back into the period that is still used to its end. */
export function moveToRevoked(change: BillingChange, facts: Pick<BillingFacts, 'charge'>, now: Date): BillingChange {
  const patch = { ...NOTHING_DUE, ...inPeriod(usablePeriod(change.after)) }
  return moveTo(change, facts, 'revoked', patch, now, 'subscription.revoked')
}

/**
 * Judges the delegation by what the change leaves of its slices: all spent, or none needed any more. That the allowance is gone is
 * for a round to find, which stops what it does not cover.
 */
export function settleDelegation(change: BillingChange, facts: BillingFacts, now: Date): BillingChange {
  const delegation = change.delegation?.after ?? facts.delegation
  const slices = [...facts.others, sliceOf(change.after, latestCharge(change, facts))]
  const judged = judgeDelegation({ delegation, slices, delegate: facts.terms.delegate.address }, now)
  return judged.delegation === delegation || hasNoCover(judged.delegation)
    ? change
    : withDelegation(change, facts.delegation, judged.delegation)
}
