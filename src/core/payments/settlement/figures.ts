// The figures of a settlement that count money which the business has yet to get. Once a settlement exists, the money of a rent
// reserve is in the received amount and in the pending amount, and is no late payment.

import { type Asset, SOL } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import { isOpen, type Position, type PositionTransfer } from '#core/payments/position/position.ts'
import { isOpenRentReserve, keptBy } from '#core/payments/position/rent-reserve.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { partsOfAsset } from '#core/payments/returns/asset-books.ts'
import { isMainSweep } from '#core/payments/transfers.ts'

type IsTaken = (transfer: PositionTransfer) => boolean

const isOpenMainSweep: IsTaken = (transfer) => isMainSweep(transfer) && isOpen(transfer)

/** Returns the late payments of which such a transfer takes a part, counted as received for the price. */
export function takenForBusiness(position: Position, asset: Asset, isTaken: IsTaken): readonly Deposit[] {
  const partsOf = partsOfAsset(asset, position)
  return position
    .of(asset)
    .deposits.filter(({ use }) => use === 'late')
    .filter((deposit) => partsOf(deposit).parts.some(({ transfer }) => isTaken(transfer)))
    .map((deposit) => ({ ...deposit, use: 'applied' }))
}

/** Returns the sum of the payments that count as received for the price. */
export const receivedFor = ({ deposits }: Position): BaseUnits =>
  totalOf(deposits.filter(({ use }) => use === 'applied'))

/**
 * Brings the figures of a settlement up to date with the rent reserves, with an event when they change: a reserve can take money
 * along that arrived after the settlement. While a main sweep is open, the figures wait for its end.
 */
export function withReservesInFigures(position: Position): Position {
  const { intent, transfers } = position
  const { settlement } = intent
  if (settlement === null || transfers.some(isOpenMainSweep)) return position
  const taken = transfers.some(isOpenRentReserve) ? takenForBusiness(position, SOL, isOpenRentReserve) : []
  const counted = taken.length === 0 ? position : position.withDeposits(taken)
  const pendingAmount = keptBy(counted.transfers)
  if (taken.length === 0 && pendingAmount === settlement.pendingAmount) return position
  const figures = { received: receivedFor(counted), settlement: { ...settlement, pendingAmount } }
  return counted.step(figures, 'intent.settlement_updated')
}
