// Settings of the fees that a settlement pays.

import { z } from 'zod'
import { isPublicKey } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'
import { type BasisPoints, type Lamports, makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { highestSolFee } from '#core/payments/settlement/settlement-plan.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import {
  bpsSetting,
  budgetSetting,
  ConfigError,
  integerSetting,
  lamportsSetting,
  setting,
  type Values,
} from './setting.ts'

// Settings of the transactions that move money: what they offer, and what refunds may cost.

export const SETTLEMENT_SETTINGS = {
  PRIORITY_FEE_MICROLAMPORTS: integerSetting(0, 1_000_000_000),
  REFUND_BUDGET_LAMPORTS_PER_INTENT: budgetSetting('refunds'),
  REFUND_BUDGET_LAMPORTS_PER_HOUR: budgetSetting('refunds'),
  REFUND_BUDGET_LAMPORTS_PER_DAY: budgetSetting('refunds'),
}

export type SettlementConfig = {
  /** The priority fee of a transaction for each compute unit, in millionths of a lamport. */
  readonly computeUnitPrice: bigint
  readonly refundBudget: SpendBudget
}

/** On a real network, in millionths of a lamport for each compute unit. The embedded chain needs none. */
const DEFAULT_COMPUTE_UNIT_PRICE = 20_000

export function settlementOf(settings: Values<typeof SETTLEMENT_SETTINGS>, embedded: boolean): SettlementConfig {
  return {
    computeUnitPrice: BigInt(settings.PRIORITY_FEE_MICROLAMPORTS ?? (embedded ? 0 : DEFAULT_COMPUTE_UNIT_PRICE)),
    refundBudget: {
      perSubject: settings.REFUND_BUDGET_LAMPORTS_PER_INTENT ?? makeLamports(20_000_000),
      perHour: settings.REFUND_BUDGET_LAMPORTS_PER_HOUR ?? makeLamports(200_000_000),
      perDay: settings.REFUND_BUDGET_LAMPORTS_PER_DAY ?? makeLamports(1_000_000_000),
    },
  }
}

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
