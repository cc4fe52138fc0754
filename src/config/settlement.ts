// Settings of the transactions that move money: what they offer, and what refunds may cost.
import { makeLamports } from '#core/money/amounts.ts'
import type { SpendBudget } from '#core/transfers/budget.ts'
import { budgetSetting, integerSetting, type Values } from './setting.ts'

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
