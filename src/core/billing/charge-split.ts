// The amounts of a tier in base units of its stablecoin. One token is one US dollar. Spec: "Subscription resources".
import type { Charge } from '#core/billing/charge.ts'
import type { Tier } from '#core/billing/tier.ts'
import { type BaseUnits, isBaseUnits, mulBpsFloor, subtract, type UsdCents, ZERO } from '#core/money/amounts.ts'

/** The fewest decimals of the settlement mint: a cent is a whole number of base units. */
export const MIN_DECIMALS = 2

export type TierAmounts = { readonly unit: BaseUnits; readonly total: BaseUnits }

/**
 * Returns `unit_base_units` and `total_authorization_base_units`. Refuses a total of more than 2^64 − 1 base units, because
 * no allowance can be as large. Throws RangeError for a mint with less than 2 decimals, or less than one period.
 */
export function tierAmounts(
  priceUsdCents: UsdCents,
  decimals: number,
  authorizationPeriods: number,
): TierAmounts | { readonly refused: 'authorization_total_too_large' } {
  if (!Number.isInteger(decimals) || decimals < MIN_DECIMALS || decimals > 255)
    throw new RangeError(`${decimals} is not the number of decimals of a settlement mint`)
  if (!Number.isSafeInteger(authorizationPeriods) || authorizationPeriods < 1)
    throw new RangeError(`${authorizationPeriods} is not a number of periods`)
  const unit = priceUsdCents * 10n ** BigInt(decimals - MIN_DECIMALS)
  const total = unit * BigInt(authorizationPeriods)
  return isBaseUnits(unit) && isBaseUnits(total) ? { unit, total } : { refused: 'authorization_total_too_large' }
}

/** Divides an amount between platform and business. The fee is rounded down; without a platform wallet it is 0. */
export function splitCharge(
  amount: BaseUnits,
  { platformFeeBps, platformWallet }: Pick<Tier, 'platformFeeBps' | 'platformWallet'>,
): Pick<Charge, 'amount' | 'feeAmount' | 'netAmount'> {
  const feeAmount = platformWallet === null ? ZERO : mulBpsFloor(amount, platformFeeBps)
  return { amount, feeAmount, netAmount: subtract(amount, feeAmount) }
}
