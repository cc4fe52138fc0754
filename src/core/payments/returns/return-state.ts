// Where the return of an asset stands: decided anew each time from deposits and transfers, so that it does not matter in
// which order they came to be known. docs/money.md, "Refund recipients".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, subtract, subtractToZero, ZERO } from '#core/money/amounts.ts'
import { isRentReserve, TRIES_TO_EMPTY, withoutRent } from '#core/payments/booking/rent-reserve.ts'
import type { IntentChange, IntentFacts } from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import {
  awaitsFinality,
  depositsAfter,
  hasFailed,
  isOpen,
  isWithdrawn,
  type Reservation,
  reservationsAfter,
  unreservedOf,
} from '#core/payments/machine/reservations.ts'
import {
  type DepositShare,
  divide,
  mainObstruction,
  obstructionOf,
  totalOf,
} from '#core/payments/returns/deposit-shares.ts'
import { SENDER_UNKNOWN, TOO_SMALL } from '#core/payments/returns/obstacle.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { LegRole, PaymentLeg } from '#core/payments/transfers.ts'

/** How often a return is planned anew after its transaction failed. */
export const MAX_RETURN_ROUNDS = 5
/** How often a return is withdrawn before it was signed, for dust or for wallets that cannot take it. */
export const MAX_WITHDRAWALS = 10
/** Once may be for a wallet; more often it is dust that keeps arriving, and then the rent minimum stays for a round. */
const WITHDRAWALS_TO_LEAVE_RENT = 2

export const FAILED_TOO_OFTEN = 'The transfer back failed too often.'

export type ReturnState =
  /** Nothing owed back; owed to the business; not final yet; on its way. */
  | { readonly is: 'nothing' | 'business' | 'waiting' | 'open' }
  /** A person has to look: because a transfer gave up, or because none can be planned. */
  | { readonly is: 'stuck'; readonly reason: string; readonly gaveUp: boolean }
  | { readonly is: 'ready'; readonly legs: readonly PaymentLeg[] }

export function returnStateOf(
  change: IntentChange,
  facts: IntentFacts,
  asset: Asset,
  context: DecisionContext,
): ReturnState {
  const { status, selection } = change.after
  if (asset === selection?.asset && !STATUS_POLICY[status].owesBack) return { is: 'business' }
  const deposits = depositsAfter(change, facts).filter(
    (deposit) => deposit.asset === asset && deposit.use !== 'unaccepted',
  )
  const reservations = reservationsAfter(change, facts).filter((reservation) => reservation.asset === asset)
  const open = reservations.find((reservation) => isOpen(reservation) && !isRentReserve(reservation))
  if (open?.status === 'held') return { is: 'stuck', reason: open.reason ?? HELD, gaveUp: false }
  if (open !== undefined) return { is: 'open' }
  // Until the window is ended, what came in time may still become known, and would be mixed with what came too late.
  if (STATUS_POLICY[status].canExpire && deposits.some(({ use }) => use === 'late')) return { is: 'waiting' }
  if (awaitsFinality(asset, deposits, reservations, context)) return { is: 'waiting' }
  const owed = unreservedOf(asset, deposits, reservations)
  if (owed.length === 0) return { is: 'nothing' }
  const refunds = reservations.filter(({ kind }) => kind === 'refund')
  const last = refunds.find(({ round }) => refunds.every((other) => other.round <= round))
  // The status says that a person is asked: a new round of its own accord would take the decision away.
  if (status === 'refund_failed' && last !== undefined && hasFailed(last)) return gaveUpOn(owed, context)
  const rounds = roundsSince(owed, refunds, context)
  const failures = rounds.filter(hasFailed).length
  const withdrawals = rounds.filter(isWithdrawn).length
  if (failures >= MAX_RETURN_ROUNDS || withdrawals >= MAX_WITHDRAWALS) return gaveUpOn(owed, context)
  const returnState = planLegs(asset, owed, context)
  const coming = deposits.filter(({ state }) => state === 'confirmed')
  const isDisturbed =
    failures >= TRIES_TO_EMPTY || withdrawals >= WITHDRAWALS_TO_LEAVE_RENT || isDust(totalOf(coming), context)
  return asset === SOL && isDisturbed ? leavingRent(returnState, context) : returnState
}

/** Rounds in which money that can still go back could have gone: earlier ones were about other money. */
function roundsSince(
  owed: readonly DepositShare[],
  refunds: readonly Reservation[],
  { custodians }: DecisionContext,
): readonly Reservation[] {
  const returnable = owed.filter((share) => obstructionOf(share, custodians) === null)
  const seen = returnable.map(({ deposit }) => deposit.seenVersion)
  return refunds.filter(({ plannedVersion }) => plannedVersion >= Math.min(...seen))
}

/** Whether so much SOL, left at an address, is less than the chain lets it hold. */
const isDust = (amount: BaseUnits, { rentMinimum }: DecisionContext): boolean => amount > 0n && amount < rentMinimum

/** What stays goes back in the next round, to the same sender. */
function leavingRent(returnState: ReturnState, { rentMinimum }: DecisionContext): ReturnState {
  if (returnState.is !== 'ready') return returnState
  const [largest, ...others] = returnState.legs
  if (largest === undefined || largest.amount <= rentMinimum) return returnState
  return { is: 'ready', legs: [withoutRent(largest, rentMinimum), ...others] }
}

export const HELD = 'The transfer is held.'

/** When no part could be returned anyway, the reason is what keeps it from being returned. */
function gaveUpOn(owed: readonly DepositShare[], { custodians }: DecisionContext): ReturnState {
  const isObstructed = owed.every((share) => obstructionOf(share, custodians) !== null)
  return {
    is: 'stuck',
    reason: (isObstructed ? mainObstruction(owed, custodians) : null) ?? FAILED_TOO_OFTEN,
    gaveUp: true,
  }
}

/**
 * Everything to its senders. Of SOL the network fee comes out of the largest share, unless a remnant that belongs to
 * nobody who is known pays it.
 */
function planLegs(asset: Asset, owed: readonly DepositShare[], context: DecisionContext): ReturnState {
  const { terms, custodians } = context
  const { refunds, remnant } = divide(totalOf(owed), owed, asset, context)
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
  if (largest.amount <= due) return { is: 'stuck', reason: TOO_SMALL, gaveUp: false }
  const legs = [
    leg('refund', largest.address, subtract(largest.amount, due)),
    ...others.map(({ address, amount }) => leg('refund', address, amount)),
    leg('network_fee', terms.feePayer, add(due, remnant)),
  ]
  return { is: 'ready', legs: legs.filter(({ amount }) => amount > 0n) }
}

/** Why what was paid too much stays at the address after the sweep; null when none of it does. */
export function heldExcess(change: IntentChange, facts: IntentFacts, context: DecisionContext): string | null {
  const asset = change.after.selection?.asset
  if (asset === undefined) return null
  const left = unreservedOf(asset, depositsAfter(change, facts), reservationsAfter(change, facts))
  const excess = left.filter(({ deposit }) => deposit.use === 'applied')
  if (excess.length === 0) return null
  const returnState = returnStateOf(change, facts, asset, context)
  const reason = mainObstruction(excess, context.custodians) ?? (returnState.is === 'stuck' ? returnState.reason : null)
  return reason === null ? null : `What was paid too much is held. ${reason}`
}
