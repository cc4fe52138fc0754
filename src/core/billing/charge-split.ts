// How a charge is divided between the business and the platform. Spec: "Subscription resources".
import type { Charge } from '#core/billing/charge.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BaseUnits, mulBpsFloor, subtract, ZERO } from '#core/money/amounts.ts'

/** Divides an amount of base units. The fee is rounded down; without a platform wallet it is 0. */
export function splitCharge(
  amount: BaseUnits,
  { platformFeeBps, platformWallet }: Pick<Tier, 'platformFeeBps' | 'platformWallet'>,
): Pick<Charge, 'amount' | 'feeAmount' | 'netAmount'> {
  const feeAmount = platformWallet === null ? ZERO : mulBpsFloor(amount, platformFeeBps)
  return { amount, feeAmount, netAmount: subtract(amount, feeAmount) }
}
