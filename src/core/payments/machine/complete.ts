// Returns money at a deposit address that is not owed to the business to the senders.

import { type Asset, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import { amend, type IntentChange, type IntentFacts, moveTo } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { nextRound, obligationOf } from '#core/payments/position/obligation.ts'
import {
  depositsAfter,
  isOpen,
  paymentAssets,
  reservationsAfter,
  reservationsOf,
  unreservedOf,
} from '#core/payments/position/position.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { isBelowFee, largestDust } from '#core/payments/returns/dust.ts'
import { writeReturnLists } from '#core/payments/returns/return-lists.ts'
import { heldExcess, returnStateOf } from '#core/payments/returns/return-state.ts'
import { withReservesInFigures } from '#core/payments/settlement/figures.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'

/**
 * Plans the returns that are possible now, ends a refund that is over, and writes the figures of the settlement and the lists. The
 * last step of every change.
 */
export function withReturns(start: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  const change = withReservesInFigures(start, facts, context)
  const planned = planReturns(change, facts, context)
  const reopened = reopen(planned, change, facts, context)
  const complete = reopened === planned ? planned : planReturns(reopened, facts, context)
  const writeLists = (change: IntentChange) => writeReturnLists(writeReason(change, facts, context), facts, context)
  // The lists are written before the refund ends too, so that the event of its end has the returned and the held money.
  const listed = writeLists(complete)
  const ended = endRefunding(listed, facts, context)
  return ended === listed ? listed : writeLists(ended)
}

function planReturns(change: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  const assets = new Set(
    depositsAfter(change, facts).flatMap(({ asset, use }) => (use === 'unaccepted' ? [] : [asset])),
  )
  let next = change
  for (const asset of assets) next = returnAsset(next, facts, asset, context)
  return next
}

/** Writes why money that is owed back stays at the address, as long as this is so. */
function writeReason(change: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  const statusReason = reasonOf(change, facts, context)
  return statusReason === change.after.statusReason ? change : amend(change, { statusReason }, context.now)
}

function reasonOf(change: IntentChange, facts: IntentFacts, context: DecisionContext): string | null {
  const { status, statusReason, settlement } = change.after
  if (status === 'swept') return heldExcess(change, facts, context)
  if (status !== 'refund_failed' || settlement === null) return statusReason
  // The business can sweep what could not go back. Then no reason is left, until more arrives that cannot go back.
  const owed = [...paymentAssets(depositsAfter(change, facts))]
  const returnStates = owed.map((asset) => returnStateOf(change, facts, asset, context))
  if (returnStates.every(({ is }) => is === 'nothing')) return null
  return statusReason ?? returnStates.find((returnState) => returnState.is === 'stuck')?.reason ?? null
}

function returnAsset(change: IntentChange, facts: IntentFacts, asset: Asset, context: DecisionContext): IntentChange {
  const returnState = returnStateOf(change, facts, asset, context)
  if (returnState.is !== 'ready') return change
  const token = context.tokens.get(asset)
  const transfer = obligationOf(facts, {
    kind: 'refund',
    asset,
    decimals: asset === SOL ? SOL_DECIMALS : (token?.decimals ?? 0),
    tokenProgram: token?.tokenProgram ?? null,
    round: nextRound(reservationsAfter(change, facts), 'refund'),
    legs: returnState.legs,
  })
  return { ...change, transfers: [...change.transfers, transfer] }
}

/** Continues a refund when money that could not go back before can go back now. */
function reopen(
  change: IntentChange,
  before: IntentChange,
  facts: IntentFacts,
  context: DecisionContext,
): IntentChange {
  if (!STATUS_POLICY[change.after.status].reopens) return change
  const ofPayment = paymentAssets(depositsAfter(change, facts))
  const planned = change.transfers.slice(before.transfers.length)
  const refund = planned.find(({ asset }) => ofPayment.has(asset))
  if (refund === undefined) return change
  const recipient = refund.legs.find(({ role }) => role === 'refund')?.destination ?? null
  return moveTo(change, 'refunding', { refundSender: change.after.refundSender ?? recipient }, context.now)
}

/**
 * Returns whether nothing is left of an asset but dust, which no transfer takes: it is held, and does not make a refund fail.
 */
function isDustLeft(change: IntentChange, facts: IntentFacts, asset: Asset, context: DecisionContext): boolean {
  const reservations = reservationsOf(asset, change, facts)
  const left = totalOf(unreservedOf(asset, depositsAfter(change, facts), reservations))
  const isSmall = asset === SOL ? left <= largestDust(context.terms) : isBelowFee(asset, left, 1, context)
  return left > 0n && isSmall && !reservations.some(isOpen)
}

/** Ends a refund when nothing is left to return but dust. It failed when another part cannot be returned. */
function endRefunding(change: IntentChange, facts: IntentFacts, context: DecisionContext): IntentChange {
  if (change.after.status !== 'refunding') return change
  const owed = [...paymentAssets(depositsAfter(change, facts))]
  const hasReturned = reservationsAfter(change, facts).some(
    ({ kind, status, asset }) => kind === 'refund' && status === 'done' && owed.includes(asset),
  )
  const returnStates = owed.flatMap((asset) => {
    const returnState = returnStateOf(change, facts, asset, context)
    const isOver = returnState.is === 'stuck' && hasReturned && isDustLeft(change, facts, asset, context)
    return isOver ? [] : [returnState]
  })
  if (returnStates.some(({ is }) => is === 'open' || is === 'waiting' || is === 'ready')) return change
  const stuck = returnStates.find((returnState) => returnState.is === 'stuck')
  if (stuck?.is === 'stuck') return moveTo(change, 'refund_failed', { statusReason: stuck.reason }, context.now)
  return moveTo(change, 'refunded', {}, context.now)
}
