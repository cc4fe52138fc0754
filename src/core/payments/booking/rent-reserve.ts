// SOL leaves a deposit address to exactly zero, and a stranger's lamport that arrives between signing and landing makes that
// fail. After some tries the chain's rent minimum stays behind, which no lamport disturbs, and follows when all else is gone.

import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, type Lamports, makeBaseUnits } from '#core/money/amounts.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import { obligationOf } from '#core/payments/obligation.ts'
import type { NewPaymentTransfer, PaymentLeg } from '#core/payments/transfers.ts'

/** Failed transactions after which no more is tried to empty an address at once. docs/money.md, "Emptying an address". */
export const TRIES_TO_EMPTY = 3

/** Whether this moves the rent reserve: it goes last, and keeps its reservation for as long as it cannot. */
export const isRentReserve = ({ portion }: Pick<NewPaymentTransfer, 'portion'>): boolean => portion === 'rent_reserve'

/** The sweep without the rent minimum of what the business gets, and the sweep of just that; null where it gets less. */
export function splitRentReserve(
  sweep: NewPaymentTransfer,
  rentMinimum: Lamports,
  facts: IntentFacts,
): readonly NewPaymentTransfer[] | null {
  const [first, ...others] = sweep.legs
  if (sweep.asset !== SOL || first === undefined || first.amount <= rentMinimum) return null
  const reserve = obligationOf(facts, {
    ...movementOf(sweep),
    portion: 'rent_reserve',
    round: sweep.round + 1,
    legs: [{ ...first, amount: makeBaseUnits(rentMinimum) }],
  })
  return [{ ...sweep, legs: [withoutRent(first, rentMinimum), ...others] }, reserve]
}

/**
 * What was left behind, with what arrived beside it since and is too little to stay: nobody else is owed that, and without
 * it nothing could ever follow. It is a new obligation, because legs never change.
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

/** The leg, less a rent minimum that stays. */
export const withoutRent = (leg: PaymentLeg, rentMinimum: Lamports): PaymentLeg => ({
  ...leg,
  amount: makeBaseUnits(leg.amount - rentMinimum),
})
