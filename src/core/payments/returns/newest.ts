// Lists that anyone can make longer are shown up to a bound. docs/contract.md, "Bounded lists".

import type { BaseUnits } from '#core/money/amounts.ts'
import type { ListTotal, MintTotal } from '#core/payments/intent-values.ts'
import { totalOf } from '#core/payments/position/shares.ts'

/** Entries of a list that a status and an event show, and mints that its totals name. */
export const NEWEST = 20

/** Transactions that one refund names. */
export const NEWEST_SIGNATURES = 5

type Entry = { readonly mint: string | null; readonly amount: BaseUnits; readonly count?: number }

/** Returns the newest entries, and the totals of all of them when there are more. `list` is oldest first. */
export function newestOf<T extends Entry>(list: readonly T[]): { shown: readonly T[]; total: ListTotal | null } {
  if (list.length <= NEWEST) return { shown: list, total: null }
  // By the newest entry of each mint.
  const mints = [...new Set(list.map(({ mint }) => mint).reverse())].slice(0, NEWEST).reverse()
  const byMint = Map.groupBy(list, ({ mint }) => mint)
  const totals = mints.map((mint): MintTotal => {
    const own = byMint.get(mint) ?? []
    const count = own.reduce((sum, entry) => sum + (entry.count ?? 1), 0)
    return { mint, amount: totalOf(own), count }
  })
  return { shown: list.slice(-NEWEST), total: { count: list.length, totals } }
}
