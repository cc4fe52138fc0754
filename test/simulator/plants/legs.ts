// Moves money between the legs of a planned transfer, for a planted bug.

import { makeBaseUnits } from '#core/money/amounts.ts'
import type { PaymentLeg } from '#core/payments/transfers.ts'

const isOwn = ({ role }: PaymentLeg): boolean => role === 'merchant' || role === 'seller'

export const plus = (leg: PaymentLeg, more: bigint): PaymentLeg => ({
  ...leg,
  amount: makeBaseUnits(leg.amount + more),
})

/** Moves a part of the business's leg of a sweep to the first leg of another role. */
export const shifted = (
  legs: readonly PaymentLeg[],
  role: PaymentLeg['role'],
  amountOf: (own: bigint) => bigint,
): readonly PaymentLeg[] => {
  const own = legs.find(isOwn)
  const other = legs.find((leg) => leg.role === role)
  if (own === undefined || other === undefined) return legs
  const amount = amountOf(own.amount)
  return legs.map((leg) => (leg === own ? plus(leg, -amount) : leg === other ? plus(leg, amount) : leg))
}
