// The state of the return of an asset. It is computed from deposits and transfers each time, so the order in which they
// became known does not matter. docs/money.md, "Refund recipients".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, makeBaseUnits, subtract, subtractToZero, ZERO } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/obstacle.ts'
import type { Selection } from '#core/payments/parts.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import {
  hasFailed,
  isOpen,
  isWithdrawn,
  oncePerAsset,
  type Position,
  paymentAssets,
  type Reservation,
  unreservedOf,
} from '#core/payments/position/position.ts'
import { sparingRent, TRIES_TO_EMPTY, withoutRent } from '#core/payments/position/rent-reserve.ts'
import { couldTake } from '#core/payments/position/share-pool.ts'
import { type DepositShare, depositSharesOf, newestPart, totalOf } from '#core/payments/position/shares.ts'
import { isBelowFee, largestDust } from '#core/payments/returns/dust.ts'
import { nextRecipients } from '#core/payments/returns/next-recipients.ts'
import {
  type Division,
  divide,
  dustOf,
  mainObstruction,
  obstructionOf,
  type Recipient,
} from '#core/payments/returns/recipients.ts'
import { canSpareRentOf, divideRefund, worthyRecipients } from '#core/payments/returns/refund-round.ts'
import { withdrawnForWallets } from '#core/payments/returns/withdrawn-rounds.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { isRentReserve, type LegRole, type PaymentLeg } from '#core/payments/transfers.ts'

/** How often a return is withdrawn for dust before it was signed. */
export const MAX_WITHDRAWALS = 10
/** After so many withdrawals for dust the rent minimum stays for a round. */
const WITHDRAWALS_TO_LEAVE_RENT = 2

export const FAILED_TOO_OFTEN = 'The transfer back failed too often.'

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
  const open = transfers.find((reservation) => isOpen(reservation) && !isRentReserve(reservation))
  if (open?.status === 'held') return { is: 'stuck', reason: open.reason ?? HELD, gaveUp: false }
  if (open !== undefined) return { is: 'open' }
  // Until the window is ended, payments in time can still become known, and would be mixed with late payments.
  if (STATUS_POLICY[status].canExpire && deposits.some(({ use }) => use === 'late')) return { is: 'waiting' }
  if (owed.length === 0) return { is: 'nothing' }
  const refunds = transfers.filter(({ kind }) => kind === 'refund')
  const last = refunds.find(({ round }) => refunds.every((other) => other.round <= round))
  const isDecidedByPerson = status === 'refund_failed' && paymentAssets(deposits).has(asset)
  if (isDecidedByPerson && last !== undefined && hasFailed(last)) {
    // An automatic round would take the decision away. It is about the money that the round could have returned.
    const since = owed.filter((share) => !couldTake(last, share))
    if (worthyRecipients(since, asset, context).length === 0) return gaveUpOn(owed, context)
  }
  const wallets = worthyRecipients(owed, asset, context)
  const rounds = roundsSince(owed, wallets, refunds, context)
  const failures = rounds.filter(hasFailed).length
  const forWallets = withdrawnForWallets(refunds, deposits, context)
  const roundsForWallets = rounds.filter((round) => forWallets.has(round)).length
  const next = nextRecipients(asset, owed, wallets, rounds, roundsForWallets, context)
  const withdrawals = rounds.filter((round) => isWithdrawn(round) && !forWallets.has(round)).length
  if (next.only?.size === 0 || withdrawals >= MAX_WITHDRAWALS) return gaveUpOn(owed, context)
  const isDisturbed = failures >= TRIES_TO_EMPTY || withdrawals >= WITHDRAWALS_TO_LEAVE_RENT
  const leavesRent = asset === SOL && isDisturbed
  const division = divideRefund(owed, asset, context, next.only)
  // What leaves the rent minimum has room for the remnant, which would otherwise leave by a part of the largest.
  const makesRoom = next.othersFollow || division.othersFollow || leavesRent
  const divided = makesRoom ? withRoomForOthers(division, context) : division
  const returnState = planLegs(asset, owed, divided, context)
  return leavesRent && divided === division ? leavingRent(returnState, context) : returnState
})

/**
 * Returns the rounds that could have returned what these wallets are still to get back. Earlier rounds were for other money, and
 * what is not worth a refund stays however many rounds there are.
 */
function roundsSince(
  owed: readonly DepositShare[],
  wallets: readonly Recipient[],
  refunds: readonly Reservation[],
  { custodians }: DecisionContext,
): readonly Reservation[] {
  const worthy = new Set<Address | null>(wallets.map(({ address }) => address))
  const returnable = owed.filter((share) => worthy.has(share.sender) && obstructionOf(share, custodians) === null)
  const seen = returnable.map(({ deposit }) => deposit.seenVersion)
  return refunds.filter(({ plannedVersion }) => plannedVersion >= Math.min(...seen))
}

/** Leaves the rent minimum of the largest part when the SOL of the others is too little to stay without it. */
function withRoomForOthers(division: Division, context: DecisionContext): Division {
  const { rentMinimum } = context
  const [largest, ...others] = division.refunds
  if (division.remnant === 0n || largest === undefined || !canSpareRentOf(largest, context)) return division
  const stays = add(division.remnant, makeBaseUnits(rentMinimum))
  return { refunds: [withoutRent(largest, rentMinimum), ...others], stays, remnant: ZERO }
}

/** The part that stays goes back in the next round, to the same sender. */
function leavingRent(returnState: ReturnState, { rentMinimum }: DecisionContext): ReturnState {
  const legs = returnState.is === 'ready' ? sparingRent(returnState.legs, rentMinimum) : null
  return legs === null ? returnState : { is: 'ready', legs }
}

export const HELD = 'The transfer is held.'

const gaveUpOn = (owed: readonly DepositShare[], context: DecisionContext): ReturnState => ({
  is: 'stuck',
  reason: reasonOf(owed, FAILED_TOO_OFTEN, context),
  gaveUp: true,
})

/**
 * Returns the legs to the senders. With SOL, the largest share pays the network fee, unless a remnant without a known
 * sender pays it.
 */
function planLegs(
  asset: Asset,
  owed: readonly DepositShare[],
  { refunds, remnant }: Division,
  context: DecisionContext,
): ReturnState {
  const { terms, custodians } = context
  const [largest, ...others] = refunds
  if (largest === undefined)
    return { is: 'stuck', reason: mainObstruction(owed, custodians) ?? SENDER_UNKNOWN, gaveUp: false }
  const leg = (role: LegRole, destination: Address, amount: BaseUnits): PaymentLeg => ({
    role,
    destination,
    amount,
    feeBps: null,
  })
  const due = asset === SOL ? subtractToZero(terms.networkFee, remnant) : ZERO
  const back = subtractToZero(largest.amount, due)
  const legs = [
    leg('refund', largest.address, back),
    ...others.map(({ address, amount }) => leg('refund', address, amount)),
    leg('network_fee', terms.feePayer, add(due, remnant)),
  ].filter(({ amount }) => amount > 0n)
  // A remnant that pays the network fee makes no dust worth its return.
  const isTooSmall = asset === SOL && largest.amount <= largestDust(terms)
  if (isTooSmall || isBelowFee(asset, back, legs.length, context))
    return { is: 'stuck', reason: reasonOf(owed, TOO_SMALL, context), gaveUp: false }
  return { is: 'ready', legs }
}

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
  const isHeld = (one: Reservation): boolean => one.status === 'held' && !isRentReserve(one)
  // The list stays whole: a rent reserve is known by the sweep that it was split off.
  const reservations = position.transfers.map((one): Reservation => (isHeld(one) ? { ...one, status: 'failed' } : one))
  const left = unreservedOf(asset, position.deposits, reservations)
  const excess = left.filter(({ deposit }) => deposit.use === 'applied')
  if (excess.length === 0) return null
  const returnState = returnStateOf(position, asset)
  const reason =
    mainObstruction(excess, position.context.custodians) ?? (returnState.is === 'stuck' ? returnState.reason : null)
  return reason === null ? null : excessHeldText(reason)
}

const excessHeldText = (reason: string): string => `What was paid too much is held. ${reason}`

/** Returns why no part of an excess will go back, by the deposits that pay the price; null when a part does, or it settles. */
export function excessToHold(
  applied: readonly Deposit[],
  { asset, expected }: Selection,
  context: DecisionContext,
): string | null {
  const shares = depositSharesOf(applied)
  const excess = subtractToZero(totalOf(shares), expected)
  if (excess === 0n || (asset === SOL && excess <= context.terms.networkFee)) return null
  const { refunds, stays } = divide(excess, shares, asset, context)
  const isSettled = stays <= dustOf(excess, shares, context.custodians) || isBelowFee(asset, stays, 1, context)
  if (refunds.length > 0 || isSettled) return null
  const reason = mainObstruction(newestPart(excess, shares), context.custodians)
  return reason === null ? null : excessHeldText(reason)
}
