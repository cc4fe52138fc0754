// The state of the return of an asset. It is computed from deposits and transfers each time, so the order in which they
// became known does not matter. docs/money.md, "Refund recipients".

import { subtract } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/obstacle.ts'
import {
  isOpen,
  oncePerAsset,
  type Position,
  type PositionTransfer,
  unreservedOf,
} from '#core/payments/position/position.ts'
import { type DepositShare, totalOf } from '#core/payments/position/shares.ts'
import { allocateRefund, mainObstruction, obstructionOf } from '#core/payments/returns/recipients.ts'
import { type NextRefund, nextRefund } from '#core/payments/returns/refund.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { isRentReserve, type PaymentLeg } from '#core/payments/transfers.ts'

export const FAILED_TOO_OFTEN = 'The transfer back failed too often.'
export const CANNOT_STAY = 'Less SOL than the chain lets an address keep would stay for the other wallets.'

export type ReturnState =
  /** Nothing owed back; owed to the business; the window is still open; on its way. */
  | { readonly is: 'nothing' | 'business' | 'waiting' | 'open' }
  /** A person has to decide: a transfer gave up, or none can be planned. */
  | { readonly is: 'stuck'; readonly reason: string; readonly gaveUp: boolean }
  | { readonly is: 'ready'; readonly legs: readonly PaymentLeg[] }

/** Returns the state of the return of an asset. */
export const returnStateOf = oncePerAsset((position, asset): ReturnState => {
  const { context } = position
  const { status, selection } = position.intent
  if (asset === selection?.asset && !STATUS_POLICY[status].owesBack) return { is: 'business' }
  const { deposits, transfers, free: owed } = position.of(asset)
  const open = transfers.find((transfer) => isOpen(transfer) && !isRentReserve(transfer))
  if (open?.status === 'held') return { is: 'stuck', reason: open.reason ?? HELD, gaveUp: false }
  if (open !== undefined) return { is: 'open' }
  // Until the window is ended, payments in time can still become known, and would be mixed with late payments.
  if (STATUS_POLICY[status].canExpire && deposits.some(({ use }) => use === 'late')) return { is: 'waiting' }
  if (owed.length === 0) return { is: 'nothing' }
  return stateOf(nextRefund(position, asset), owed, context)
})

function stateOf(next: NextRefund, owed: readonly DepositShare[], context: DecisionContext): ReturnState {
  switch (next) {
    case 'none worth its fee':
      return { is: 'stuck', reason: whyNone(owed, context), gaveUp: false }
    case 'cannot stay':
      return { is: 'stuck', reason: CANNOT_STAY, gaveUp: false }
    case 'given up':
      return { is: 'stuck', reason: reasonOf(owed, FAILED_TOO_OFTEN, context), gaveUp: true }
    default:
      return { is: 'ready', legs: next.legs }
  }
}

const whyNone = (owed: readonly DepositShare[], context: DecisionContext): string =>
  allocateRefund(totalOf(owed), owed, context.custodians).length === 0
    ? (mainObstruction(owed, context.custodians) ?? SENDER_UNKNOWN)
    : reasonOf(owed, TOO_SMALL, context)

export const HELD = 'The transfer is held.'

/**
 * Returns why nothing goes back: the reason that holds for the larger part of what is owed. `otherwise` is the reason of what has no
 * obstacle.
 */
function reasonOf(owed: readonly DepositShare[], otherwise: string, { custodians }: DecisionContext): string {
  const obstructed = totalOf(owed.filter((share) => obstructionOf(share, custodians) !== null))
  const isMost = obstructed > subtract(totalOf(owed), obstructed)
  return isMost ? (mainObstruction(owed, custodians) ?? otherwise) : otherwise
}

/** Returns why an excess stays at the address after the sweep; null when none of it stays. */
export function heldExcess(position: Position): string | null {
  const asset = position.intent.selection?.asset
  if (asset === undefined) return null
  const isHeld = (one: PositionTransfer): boolean => one.status === 'held' && !isRentReserve(one)
  // The list stays whole: a rent reserve is known by the sweep that it was split off.
  const transfers = position.transfers.map(
    (one): PositionTransfer => (isHeld(one) ? { ...one, status: 'failed' } : one),
  )
  const left = unreservedOf(asset, position.deposits, transfers)
  const excess = left.filter(({ deposit }) => deposit.use === 'applied')
  if (excess.length === 0) return null
  const returnState = returnStateOf(position, asset)
  const reason =
    mainObstruction(excess, position.context.custodians) ?? (returnState.is === 'stuck' ? returnState.reason : null)
  return reason === null ? null : `What was paid too much is held. ${reason}`
}
