// A sweep that the business asks for.

import { type Decision, type IntentFacts, moved, refused, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { decideRearmed, waitsForFormerWallet } from '#core/payments/machine/rearm.ts'
import { isOpen, Position } from '#core/payments/position/position.ts'
import { pauseBeforeSweep, sharesToSweep, startSettling, sweepOf } from '#core/payments/settlement/sweep-plan.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { isRentReserve } from '#core/payments/transfers.ts'

/**
 * Decides a sweep that the business asks for, which also plans again a held sweep, and one that waits to pay a former wallet.
 * When there is nothing else to sweep, it plans a held rent reserve again. `unchanged` means that a sweep is under way, or
 * has moved all of the money. Spec: POST /sweep.
 */
export function decideSweep(facts: IntentFacts, context: DecisionContext): Decision {
  const { intent, payee } = facts
  if (payee.sweepDestination === null) return refused('sweep_destination_missing')
  const asset = intent.selection?.asset
  // Money at the address of a pending payment came after the window, and goes back.
  if (asset === undefined || intent.status === 'pending') return refused('nothing_to_sweep')
  const start = new Position(facts, context)
  const { transfers, free } = start.of(asset)
  const open = transfers.find((transfer) => isOpen(transfer) && !isRentReserve(transfer))
  if (open?.kind === 'refund' || open?.kind === 'release' || intent.status === 'refunding')
    return refused('refund_in_progress')
  const own = facts.transfers.find(({ key }) => key === open?.key)
  if (own?.status === 'held' || (own !== undefined && waitsForFormerWallet(own, facts)))
    return decideRearmed(facts, own.id, context)
  if (open !== undefined) return UNCHANGED
  const isSwept = transfers.some(({ kind, status }) => kind === 'sweep' && status === 'done')
  const nothingMore = () => retriedReserve(facts, context) ?? (isSwept ? UNCHANGED : refused('nothing_to_sweep'))
  if (free.length === 0) return nothingMore()
  const refusal = tooSoon(facts, context)
  if (refusal !== null) return refusal
  const begun = STATUS_POLICY[intent.status].sweepSettles ? startSettling(start) : start.step()
  const sweep = sweepOf(begun, sharesToSweep(begun))
  // Dust has no sweep of its own.
  if ('refused' in sweep) return nothingMore()
  return moved(complete(begun.plan(sweep)))
}

/** Refuses while a business has to wait for its next sweep; null when it has not. */
function tooSoon(facts: IntentFacts, { now }: DecisionContext): Decision | null {
  const pause = pauseBeforeSweep(facts, now)
  return pause > 0 ? refused('rate_limited', { retry_after_seconds: Math.ceil(pause / 1_000) }) : null
}

/** Plans a held rent reserve again; null when none is held. It follows when no other money of the business is at the address. */
function retriedReserve(facts: IntentFacts, context: DecisionContext): Decision | null {
  const reserve = facts.transfers.find((one) => isRentReserve(one) && one.status === 'held')
  return reserve === undefined ? null : decideRearmed(facts, reserve.id, context)
}
