// The effects of the token account on a subscription: the allowance is gone, or the wallet was refilled.
import {
  type AllowanceReading,
  coversSubscription,
  judgeDelegation,
  takeReading,
} from '#core/billing/delegation-state.ts'
import { triableAt } from '#core/billing/dunning.ts'
import { allowanceFor, outstandingOf, sliceOf } from '#core/billing/room.ts'
import { isCharging, SUBSCRIPTION_POLICY } from '#core/billing/subscription.ts'
import type { Address } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { type Decision, moved, startChange, UNCHANGED, withDelegation } from './change.ts'
import { cancelOpen, planAgain, settleTimes } from './charging.ts'
import { moveToRevoked } from './coverage.ts'
import type { BillingContext, BillingFacts, ChargeFacts } from './facts.ts'
import { isGivenUp } from './schedule.ts'

/**
 * Stops a subscription that the allowance no longer covers, by the last reading of the token account. It is entitled until
 * its period ends, and until its trial has ended when nothing was ever paid. `unchanged` when it is covered, because another one was stopped or the allowance was given again.
 */
export function decideRevoked(facts: BillingFacts, context: BillingContext): Decision {
  const { subscription, charge, delegation, others, terms } = facts
  if (!SUBSCRIPTION_POLICY[subscription.status].isRevocable) return UNCHANGED
  const slices = [...others, sliceOf(subscription, charge?.charge ?? null)]
  const judged = judgeDelegation({ delegation, slices, delegate: terms.delegate.address }, context.now)
  if (!judged.uncovered.includes(subscription.id)) return UNCHANGED
  const canceled = cancelOpen(startChange(subscription), facts, REVOKED, context)
  const stopped = moveToRevoked(canceled, facts, context.now)
  // Rounds read the delegation until nothing that it does not cover is left.
  const isLast = judged.uncovered.length === 1
  return moved(isLast ? withDelegation(stopped, delegation, judged.delegation) : stopped)
}

const REVOKED = 'The allowance does not cover the subscription any more.'

/**
 * Returns whether the allowance covers the subscription, by a reading of its token account before an attempt. Without it, a
 * charge would take what an older subscription is covered by. No attempt of the charge may land.
 */
export function isCovered(
  { subscription, delegation, others, terms }: BillingFacts,
  reading: AllowanceReading,
  now: Date,
): boolean {
  const slices = [...others, sliceOf(subscription, null)]
  const { address: delegate } = terms.delegate
  const read = takeReading(delegation, reading, delegate, now)
  return coversSubscription({ delegation: read, slices, delegate }, subscription.id)
}

/**
 * Tries a failed charge at once when the wallet holds `balance` base units, and that is enough. After a failure on the chain,
 * which cost a fee, the charge is tried at its own time only: a wallet that is filled for a moment costs nothing more.
 */
export function decideRefilled(facts: BillingFacts, balance: BaseUnits, context: BillingContext): Decision {
  const { subscription, charge: own } = facts
  if (!isCharging(subscription) || own === null) return UNCHANGED
  const { status, failureCode, amount } = own.charge
  if (status !== 'failed' || failureCode !== 'insufficient_funds' || balance < amount) return UNCHANGED
  if (triableAt(own.charge, context.now) > context.now || isGivenUp(subscription, own.charge, context.now))
    return UNCHANGED
  return moved(settleTimes(planAgain(startChange(subscription), own, context), facts, context.now))
}

// Whether a subscriber can end the allowance by a sponsored revocation. docs/billing.md, "Revoking the allowance".

export type RevocationRefusal = 'allowance_in_use' | 'nothing_to_revoke'

type Use = Pick<BillingFacts, 'subscription' | 'others'> & { readonly charge: Pick<ChargeFacts, 'charge'> | null }

/**
 * Returns why the fee payer pays for no revocation by the page of this subscription, or null. `allowance_in_use`: it is not
 * canceled, or a subscription of the wallet can still be charged. `nothing_to_revoke`: the last reading shows no allowance of
 * `delegate`, the key of the network.
 */
export function judgeRevocation(
  facts: Use & Pick<BillingFacts, 'delegation'>,
  delegate: Address,
): RevocationRefusal | null {
  if (isInUse(facts)) return 'allowance_in_use'
  return allowanceFor(facts.delegation, delegate) === 0n ? 'nothing_to_revoke' : null
}

/** A charge under way may still land, also after the end of its subscription. */
const isInUse = ({ subscription, charge, others }: Use): boolean =>
  subscription.status !== 'canceled' || outstandingOf([...others, sliceOf(subscription, charge?.charge ?? null)]) > 0n
