// The figures of a settlement that count money which the business has yet to get. Once a settlement exists, the money of a rent
// reserve is in the received amount and in the pending amount, and is no late payment.
import { type Asset, SOL } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { type IntentChange, type IntentFacts, step } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import {
  depositsAfter,
  isOpen,
  type Reservation,
  reservationsAfter,
  withDeposits,
} from '#core/payments/position/position.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { partsOfAsset } from '#core/payments/returns/asset-books.ts'
import { isMainSweep, isRentReserve } from '#core/payments/transfers.ts'

type IsTaken = (reservation: Reservation) => boolean

export const isOpenRentReserve: IsTaken = (reservation) => isRentReserve(reservation) && isOpen(reservation)

const isOpenMainSweep: IsTaken = (reservation) => isMainSweep(reservation) && isOpen(reservation)

/** Returns the base units of the rent reserves that are still to follow. */
export const openRentReserve = (change: IntentChange, facts: IntentFacts): BaseUnits =>
  totalOf(
    reservationsAfter(change, facts)
      .filter(isOpenRentReserve)
      .flatMap(({ legs }) => legs),
  )

/** Returns the late payments of which such a reservation takes a part, counted as received for the price. */
export function takenForBusiness(
  change: IntentChange,
  facts: IntentFacts,
  asset: Asset,
  isTaken: IsTaken,
): readonly Deposit[] {
  const partsOf = partsOfAsset(asset, change, facts)
  return depositsAfter(change, facts)
    .filter((deposit) => deposit.asset === asset && deposit.use === 'late')
    .filter((deposit) => partsOf(deposit).parts.some(({ reservation }) => isTaken(reservation)))
    .map((deposit) => ({ ...deposit, use: 'applied' }))
}

/** Returns the sum of the payments that count as received for the price. */
export const receivedFor = (change: IntentChange, facts: IntentFacts): BaseUnits =>
  totalOf(depositsAfter(change, facts).filter(({ use }) => use === 'applied'))

/**
 * Brings the figures of a settlement up to date with the rent reserves, with an event when they change: a reserve can take money
 * along that arrived after the settlement. While a main sweep is open, the reserve that it leaves is not in the figures yet:
 * they change when the sweep ends.
 */
export function withReservesInFigures(
  change: IntentChange,
  facts: IntentFacts,
  { now }: DecisionContext,
): IntentChange {
  const { settlement } = change.after
  const reservations = reservationsAfter(change, facts)
  if (settlement === null || reservations.some(isOpenMainSweep)) return change
  const taken = reservations.some(isOpenRentReserve) ? takenForBusiness(change, facts, SOL, isOpenRentReserve) : []
  const counted = taken.length === 0 ? change : withDeposits(change, taken)
  const pendingAmount = openRentReserve(counted, facts)
  if (taken.length === 0 && pendingAmount === settlement.pendingAmount) return change
  const figures = { received: receivedFor(counted, facts), settlement: { ...settlement, pendingAmount } }
  return step(counted, figures, now, 'intent.settlement_updated')
}
