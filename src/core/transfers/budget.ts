// What transfers of one kind may cost the fee payer in all. A stranger can cause some of them, so the price of each is no
// bound.
import type { Address, Network } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'

/** In lamports, for each kind of transfer by itself. */
export type SpendBudget = { readonly perSubject: Lamports; readonly perHour: Lamports; readonly perDay: Lamports }

/**
 * What transfers of a kind have taken from the fee payer by final transactions, less what each brought back, and the most
 * that those under way may still take. In lamports.
 */
export type Spend = { readonly ofSubject: bigint; readonly lastHour: bigint; readonly lastDay: bigint }

/** Whose spend is asked for; with `subjectId` null the subject's stays at zero. */
export type Spender = {
  readonly network: Network
  readonly kind: string
  readonly feePayer: Address
  readonly subjectId: string | null
  readonly now: Date
}

/** A transfer that is about to be attempted, and the most that it may take from the fee payer. */
export type Spending = Spender & { readonly cost: Lamports; readonly budget: SpendBudget }

export type BudgetLimit = 'subject' | 'hour' | 'day'

/** Returns the limit that a transfer of that cost would exceed; null when it may be made. */
export function limitReached(budget: SpendBudget, spend: Spend, cost: bigint): BudgetLimit | null {
  if (spend.ofSubject + cost > budget.perSubject) return 'subject'
  if (spend.lastHour + cost > budget.perHour) return 'hour'
  return spend.lastDay + cost > budget.perDay ? 'day' : null
}
