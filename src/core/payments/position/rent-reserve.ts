// A sweep of SOL leaves exactly zero at a deposit address. A lamport that a stranger sends between signing and landing makes
// it fail. The next round leaves the rent minimum at the address, which dust does not disturb, and the rent reserve moves it when all
// other money is gone.

import { type BaseUnits, type Lamports, makeBaseUnits } from '#core/money/amounts.ts'
import { newTransfer, nextRound } from '#core/payments/position/new-transfer.ts'
import { isOpen, type Position, type PositionTransfer } from '#core/payments/position/position.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { isForBusiness, isRentReserve, type NewPaymentTransfer, type PaymentLeg } from '#core/payments/transfers.ts'

/**
 * Returns the legs with the first less the rent minimum; null when it cannot be split off: an empty wallet takes neither part when it
 * is smaller than that.
 */
export function sparingRent(
  [first, ...others]: readonly PaymentLeg[],
  rentMinimum: Lamports,
): readonly PaymentLeg[] | null {
  if (first === undefined || first.amount < 2n * rentMinimum) return null
  return [{ ...first, amount: makeBaseUnits(first.amount - rentMinimum) }, ...others]
}

export const isOpenRentReserve = (one: Pick<PositionTransfer, 'kind' | 'status' | 'portion'>): boolean =>
  isRentReserve(one) && isOpen(one)

/** Returns the base units that stay at the address until the rent reserves go. */
export const keptBy = (transfers: readonly PositionTransfer[]): BaseUnits =>
  totalOf(transfers.filter(isOpenRentReserve).flatMap(({ legs }) => legs))

/**
 * Returns whether the rent minimum has risen above what waits for the rent reserve. No transfer can leave that much at the address, so
 * the reserve goes first, with what would be too little to stay.
 */
export function reserveGoesFirst({ transfers, context: { rentMinimum } }: Position): boolean {
  const kept = keptBy(transfers)
  return kept > 0n && kept < rentMinimum
}

/**
 * Plans a rent reserve: the part of the business that a sweep has left, or that an earlier round of the reserve was to move, and
 * `more` SOL that is too little to stay. It goes to the present destination of the business.
 */
export function planRentReserve(
  position: Position,
  { asset, decimals, tokenProgram, legs }: NewPaymentTransfer,
  amount: BaseUnits,
): Position {
  const { facts, transfers } = position
  const business = legs.filter(isForBusiness)
  return position.plan(
    newTransfer(facts, {
      kind: 'sweep',
      portion: 'rent_reserve',
      asset,
      decimals,
      tokenProgram,
      round: nextRound(transfers, 'sweep'),
      legs: business.map((leg) => ({ ...leg, destination: facts.payee.sweepDestination ?? leg.destination, amount })),
    }),
  )
}
