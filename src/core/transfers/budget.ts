// The limits on the total cost of one kind of transfer for the fee payer. A stranger can cause some of these transfers, so
// a limit on each transfer is not enough.
import type { Address, Network } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'

/** In lamports, for one kind of transfer. */
export type SpendBudget = { readonly perSubject: Lamports; readonly perHour: Lamports; readonly perDay: Lamports }

/**
 * The cost of a kind of transfer for the fee payer: the net cost of final transactions, and the most that live attempts may
 * still cost. The hour and the day also include the most that earlier transfers may cost, while these wait for the budget.
 * In lamports.
 */
export type Spend = { readonly ofSubject: bigint; readonly lastHour: bigint; readonly lastDay: bigint }

/** Subjects that cost the fee payer much: how many there are, and the one that cost the most. In lamports. */
export type CostlySubjects = { readonly count: number; readonly first: { readonly id: string; readonly cost: bigint } }

/**
 * Names the transfers whose cost is summed. With `subjectId` null, `ofSubject` is zero. A transfer that waits for the budget
 * counts when it was planned before `before`; with null, none of them counts.
 */
export type Spender = {
  readonly network: Network
  readonly kind: string
  readonly feePayer: Address
  readonly subjectId: string | null
  readonly before: Date | null
  readonly now: Date
}

/** The next attempt of a transfer, and the most that it may cost the fee payer. */
export type Spending = Spender & { readonly cost: Lamports; readonly budget: SpendBudget }

export type BudgetLimit = 'subject' | 'hour' | 'day'

/** Returns the limit that a transfer of this cost would exceed; null when it exceeds none. */
export function limitReached(budget: SpendBudget, spend: Spend, cost: bigint): BudgetLimit | null {
  if (spend.ofSubject + cost > budget.perSubject) return 'subject'
  if (spend.lastHour + cost > budget.perHour) return 'hour'
  return spend.lastDay + cost > budget.perDay ? 'day' : null
}
