// Settings of the fees that a settlement pays.
import { z } from 'zod'
import { isPublicKey } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'
import { type BasisPoints, type Lamports, makeBasisPoints } from '#core/money/amounts.ts'
import { highestSolFee } from '#core/payments/settlement/settlement-plan.ts'
import { bpsSetting, ConfigError, lamportsSetting, setting, type Values } from './setting.ts'
import type { SettlementConfig } from './settlement.ts'

/** The interface allows a marketplace no more. */
const MAX_MARKETPLACE_FEE_BPS = 5_000

export const FEE_SETTINGS = {
  PLATFORM_FEE_BPS: bpsSetting(10_000),
  PLATFORM_WALLET: setting(z.string().refine(isPublicKey), 'the address of a Solana wallet'),
  NETWORK_FEE_LAMPORTS: lamportsSetting(1_000_000_000),
  MAX_MARKETPLACE_FEE_BPS: bpsSetting(MAX_MARKETPLACE_FEE_BPS),
}

export type FeesConfig = {
  readonly platformFeeBps: BasisPoints
  readonly platformWallet: Address | null
  readonly networkFee: Lamports
  readonly maxMarketplaceFeeBps: BasisPoints
}

/**
 * Returns the fees; by default the network fee is the most that a settlement in SOL costs the fee payer. Throws ConfigError when a
 * fee has no receiver, or when all fees together leave nothing to a seller.
 */
export function feesOf(
  settings: Values<typeof FEE_SETTINGS>,
  { computeUnitPrice }: Pick<SettlementConfig, 'computeUnitPrice'>,
): FeesConfig {
  const fees = {
    platformFeeBps: settings.PLATFORM_FEE_BPS ?? makeBasisPoints(0),
    platformWallet: settings.PLATFORM_WALLET ?? null,
    networkFee: settings.NETWORK_FEE_LAMPORTS ?? highestSolFee(computeUnitPrice),
    maxMarketplaceFeeBps: settings.MAX_MARKETPLACE_FEE_BPS ?? makeBasisPoints(MAX_MARKETPLACE_FEE_BPS),
  }
  const { platformFeeBps, platformWallet, maxMarketplaceFeeBps } = fees
  if (platformFeeBps > 0 && platformWallet === null)
    throw new ConfigError(
      'PLATFORM_WALLET: is missing, and PLATFORM_FEE_BPS takes a fee; write the wallet that receives it',
    )
  if (platformFeeBps + maxMarketplaceFeeBps >= 10_000)
    throw new ConfigError(
      `PLATFORM_FEE_BPS: ${platformFeeBps} and MAX_MARKETPLACE_FEE_BPS ${maxMarketplaceFeeBps} leave a seller nothing; write less than ${10_000 - maxMarketplaceFeeBps}`,
    )
  return fees
}
