// Warns about a network fee that does not repay what settlements cost.
import type { Config } from '#config/config.ts'
import { highestSolFee } from '#core/payments/settlement/settlement-plan.ts'

/** Returns a line when NETWORK_FEE_LAMPORTS is less than a settlement in SOL can cost the fee payer; none otherwise. */
export function remarksOnNetworkFee({ fees, settlement }: Pick<Config, 'fees' | 'settlement'>): readonly string[] {
  const cost = highestSolFee(settlement.computeUnitPrice)
  if (fees.networkFee >= cost) return []
  return [
    `Warning: NETWORK_FEE_LAMPORTS is ${fees.networkFee}, and a settlement in SOL costs the fee payer up to ${cost}: you pay the rest.`,
  ]
}
