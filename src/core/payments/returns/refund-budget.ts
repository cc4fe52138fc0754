// What refunds may cost the fee payer in all. Anybody can cause a refund, so that its price alone is no bound.
import type { Address, Network } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'

export type RefundBudget = { readonly perIntent: Lamports; readonly perHour: Lamports; readonly perDay: Lamports }

/**
 * What refunds have taken from the fee payer by final transactions, less what each brought back, and the most that those
 * under way may still take. In lamports.
 */
export type RefundSpend = { readonly ofIntent: bigint; readonly lastHour: bigint; readonly lastDay: bigint }

/** Whose spend is asked for; `intentId` null leaves the intent's at zero. */
export type RefundSpender = {
  readonly network: Network
  readonly feePayer: Address
  readonly intentId: string | null
  readonly now: Date
}

/** A refund that is about to be attempted, and the most that it may take from the fee payer. */
export type Spending = RefundSpender & { readonly cost: Lamports; readonly budget: RefundBudget }

export type BudgetLimit = 'intent' | 'hour' | 'day'

/** Returns the limit that a refund of that cost would exceed; null when it may be made. */
export function limitReached(budget: RefundBudget, spend: RefundSpend, cost: bigint): BudgetLimit | null {
  if (spend.ofIntent + cost > budget.perIntent) return 'intent'
  if (spend.lastHour + cost > budget.perHour) return 'hour'
  return spend.lastDay + cost > budget.perDay ? 'day' : null
}
