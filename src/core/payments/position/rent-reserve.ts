// A sweep of SOL leaves exactly zero at a deposit address. A lamport that a stranger sends between signing and landing makes
// it fail. After some tries the rent minimum stays at the address, and follows when all other money is gone.

import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, type Lamports, makeBaseUnits, sumOf } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { obligationOf } from '#core/payments/position/obligation.ts'
import type { NewPaymentTransfer, PaymentLeg, PaymentTransfer } from '#core/payments/transfers.ts'
import { isMainSweep, isRentReserve } from '#core/payments/transfers.ts'

/** Failed transactions after which a sweep no longer empties the address at once. docs/money.md, "Emptying an address". */
export const TRIES_TO_EMPTY = 3

/**
 * Returns whether the rent minimum can be split off: an empty wallet takes neither part when it is smaller than that, and would
 * then wait for the other part, which goes last.
 */
export const canSpareRent = ({ amount }: Pick<PaymentLeg, 'amount'>, rentMinimum: Lamports): boolean =>
  amount >= 2n * rentMinimum

/** Returns the legs with the first less the rent minimum; null when it cannot be split off. */
export function sparingRent(
  [first, ...others]: readonly PaymentLeg[],
  rentMinimum: Lamports,
): readonly PaymentLeg[] | null {
  return first !== undefined && canSpareRent(first, rentMinimum) ? [withoutRent(first, rentMinimum), ...others] : null
}

/** Splits the rent minimum off the amount of the business: two sweeps; null when it is too small for that. */
export function splitRentReserve(
  sweep: NewPaymentTransfer,
  rentMinimum: Lamports,
  facts: IntentFacts,
): readonly NewPaymentTransfer[] | null {
  const [first] = sweep.legs
  const legs = sweep.asset === SOL ? sparingRent(sweep.legs, rentMinimum) : null
  if (legs === null || first === undefined) return null
  const reserve = obligationOf(facts, {
    ...movementOf(sweep),
    portion: 'rent_reserve',
    round: sweep.round + 1,
    legs: [{ ...first, amount: makeBaseUnits(rentMinimum) }],
  })
  return [{ ...sweep, legs }, reserve]
}

type Sweep = Pick<PaymentTransfer, 'kind' | 'portion' | 'status' | 'legs' | 'plannedVersion'>

/**
 * Returns the amount of the rent reserve whose cuts a sweep takes: the reserve was split off this sweep, or off an earlier one, and
 * no sweep since has moved. `version` is the plannedVersion of the sweep; by default it is about to be planned.
 */
export function reserveOf(transfers: readonly Sweep[], version = Number.POSITIVE_INFINITY): BaseUnits {
  const whole = transfers.filter(isMainSweep)
  const reserves = transfers.filter((one) => {
    if (!isRentReserve(one) || one.status === 'failed' || one.plannedVersion > version) return false
    const since = whole.filter(({ plannedVersion }) => plannedVersion >= one.plannedVersion && plannedVersion < version)
    // An extended reserve follows a sweep that has moved: it was planned with none.
    const wasSplit = whole.some(({ plannedVersion }) => plannedVersion === one.plannedVersion)
    return wasSplit && since.every(({ status }) => status === 'failed')
  })
  return makeBaseUnits(sumOf(reserves.flatMap(({ legs }) => legs.map(({ amount }) => amount))))
}

/**
 * Returns the rent reserve together with the SOL that has arrived since and is too little to stay. The additional SOL is
 * owed to no one else, and the reserve could never leave without it. It is a new obligation, because legs never change.
 */
export const extendRentReserve = (
  reserve: NewPaymentTransfer,
  more: BaseUnits,
  round: number,
  facts: IntentFacts,
): NewPaymentTransfer =>
  obligationOf(facts, {
    ...movementOf(reserve),
    round,
    legs: reserve.legs.map((leg) => ({ ...leg, amount: add(leg.amount, more) })),
  })

const movementOf = ({ kind, portion, asset, decimals, tokenProgram }: NewPaymentTransfer) => ({
  kind,
  portion,
  asset,
  decimals,
  tokenProgram,
})

/** Returns the leg without the rent minimum, which stays. */
export const withoutRent = <Part extends Pick<PaymentLeg, 'amount'>>(part: Part, rentMinimum: Lamports): Part => ({
  ...part,
  amount: makeBaseUnits(part.amount - rentMinimum),
})
