// The turns at which transfers take money from the shares of deposits.
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { PlannedTaking } from '#core/payments/position/share-pool.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { isMainSweep, isRentReserve, type NewPaymentTransfer, type PaymentTransfer } from '#core/payments/transfers.ts'

type Taker = PlannedTaking & Pick<NewPaymentTransfer, 'portion'> & Pick<PaymentTransfer, 'status'>

/** What a transfer takes at one of its turns. */
export type Turn<T> = PlannedTaking & { readonly transfer: T }

/** The turns of rent reserves of which each took the place of the one before, and the amount of the last of them. */
type Chain = { readonly turns: readonly PlannedTaking[]; readonly amount: bigint }
const NO_CHAIN: Chain = { turns: [], amount: 0n }

/**
 * Returns the turns of the transfers of an asset, in the order in which they were planned. A failed transfer has none.
 *
 * A rent reserve that takes the place of an earlier one keeps its turn, and has a second one for what it takes along.
 * A refund that was planned in between could otherwise seem to have taken money of the business.
 */
export function turnsOf<T extends Taker>(transfers: readonly T[]): readonly Turn<T>[] {
  const owners = new Map<PlannedTaking, T>()
  let chain = NO_CHAIN
  const turns = transfers.flatMap((transfer): readonly PlannedTaking[] => {
    if (!isRentReserve(transfer)) {
      owners.set(transfer, transfer)
      return transfer.status === 'failed' ? [] : [transfer]
    }
    const before = isSplit(transfer, transfers) ? NO_CHAIN : chain
    const amount = totalOf(transfer.legs)
    const turn = before.amount === 0n ? transfer : withAmount(transfer, amount - before.amount)
    const own = [...before.turns, turn]
    for (const one of own) owners.set(one, transfer)
    chain = transfer.status === 'failed' ? { turns: own, amount } : NO_CHAIN
    return [turn]
  })
  return turns.flatMap((turn) => {
    const transfer = owners.get(turn)
    return transfer === undefined || transfer.status === 'failed' ? [] : [{ ...turn, transfer }]
  })
}

/**
 * Returns whether the reserve was split off a sweep that was planned with it. Any other takes the place of an earlier reserve.
 */
const isSplit = ({ plannedVersion }: Taker, transfers: readonly Taker[]): boolean =>
  transfers.some((one) => isMainSweep(one) && one.plannedVersion === plannedVersion)

/** The reserve has one leg, the share of the business. */
const withAmount = (reserve: Taker, amount: bigint): PlannedTaking => ({
  kind: reserve.kind,
  plannedVersion: reserve.plannedVersion,
  legs: reserve.legs.map((leg) => ({ ...leg, amount: makeBaseUnits(amount > 0n ? amount : 0n) })),
})
