// Returns money at a deposit address that is not owed to the business to the senders.

import { type Asset, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import { isOpen, type Position, paymentAssets } from '#core/payments/position/position.ts'
import { isDust } from '#core/payments/returns/dust.ts'
import { recipientsOf } from '#core/payments/returns/recipients.ts'
import { writeReturnLists } from '#core/payments/returns/return-lists.ts'
import { heldExcess, returnStateOf } from '#core/payments/returns/return-state.ts'
import { withReservesInFigures } from '#core/payments/settlement/figures.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'

/**
 * Plans the returns that are possible now, ends a refund that is over, and writes the figures of the settlement and the lists. The
 * last step of every change.
 */
export function complete(decided: Position): IntentChange {
  const counted = withReservesInFigures(decided)
  const planned = planReturns(counted)
  const reopened = reopen(planned, counted)
  const all = reopened === planned ? planned : planReturns(reopened)
  // The lists are written before the refund ends too, so that the event of its end has the returned and the held money.
  const listed = writeReturnLists(writeReason(all))
  const ended = endRefunding(listed)
  return (ended === listed ? listed : writeReturnLists(writeReason(ended))).change
}

function planReturns(position: Position): Position {
  const assets = new Set(position.deposits.flatMap(({ asset, use }) => (use === 'unaccepted' ? [] : [asset])))
  return [...assets].reduce(returnAsset, position)
}

/** Writes why money that is owed back stays at the address, as long as this is so. */
function writeReason(position: Position): Position {
  const statusReason = reasonOf(position)
  return statusReason === position.intent.statusReason ? position : position.amend({ statusReason })
}

function reasonOf(position: Position): string | null {
  const { status, statusReason, settlement } = position.intent
  if (status === 'swept') return heldExcess(position)
  if (status !== 'refund_failed' || settlement === null) return statusReason
  // The business can sweep what could not go back. Then no reason is left, until more arrives that cannot go back.
  const returnStates = [...paymentAssets(position.deposits)].map((asset) => returnStateOf(position, asset))
  if (returnStates.every(({ is }) => is === 'nothing')) return null
  return statusReason ?? returnStates.find((returnState) => returnState.is === 'stuck')?.reason ?? null
}

function returnAsset(position: Position, asset: Asset): Position {
  const returnState = returnStateOf(position, asset)
  if (returnState.is !== 'ready') return position
  const token = position.context.tokens.get(asset)
  const refund = newTransfer(position.facts, {
    kind: 'refund',
    asset,
    decimals: asset === SOL ? SOL_DECIMALS : (token?.decimals ?? 0),
    tokenProgram: token?.tokenProgram ?? null,
    round: nextRound(position.transfers, 'refund'),
    legs: returnState.legs,
  })
  return position.plan(refund)
}

/** Continues a refund when money that could not go back before can go back now. */
function reopen(position: Position, before: Position): Position {
  const { intent, change } = position
  if (!STATUS_POLICY[intent.status].reopens) return position
  const ofPayment = paymentAssets(position.deposits)
  const planned = change.transfers.slice(before.change.transfers.length)
  const refund = planned.find(({ asset }) => ofPayment.has(asset))
  if (refund === undefined) return position
  const [refundSender = null] = recipientsOf(refund)
  return position.moveTo('refunding', { refundSender })
}

/**
 * Returns whether nothing is left of an asset but dust, which no transfer takes: it is held, and does not make a refund fail.
 */
function isDustLeft(position: Position, asset: Asset): boolean {
  const { transfers, free } = position.of(asset)
  return (
    free.every(({ deposit, amount }) => isDust({ ...deposit, amount }, position.context)) && !transfers.some(isOpen)
  )
}

/** Ends a refund when nothing is left to return but dust. It failed when another part cannot be returned. */
function endRefunding(position: Position): Position {
  if (position.intent.status !== 'refunding') return position
  const owed = [...paymentAssets(position.deposits)]
  const hasReturned = position.transfers.some(
    ({ kind, status, asset }) => kind === 'refund' && status === 'done' && owed.includes(asset),
  )
  const returnStates = owed.flatMap((asset) => {
    const returnState = returnStateOf(position, asset)
    const isOver = returnState.is === 'stuck' && hasReturned && isDustLeft(position, asset)
    return isOver ? [] : [returnState]
  })
  if (returnStates.some(({ is }) => is === 'open' || is === 'waiting' || is === 'ready')) return position
  const stuck = returnStates.find((returnState) => returnState.is === 'stuck')
  if (stuck?.is === 'stuck') return position.moveTo('refund_failed', { statusReason: stuck.reason })
  return position.moveTo('refunded')
}
