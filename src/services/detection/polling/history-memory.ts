// The history walks under way, by account. Bounded: the walk of an evicted account starts again from the newest
// signature.
import type { Address } from '#core/chain/types.ts'
import { HistoryWalk } from './history-walk.ts'

const MAX_WALKS = 2_000
/** Signatures that all walks together remember: some 30 MB. */
const MAX_SIGNATURES = 200_000

export type HistoryMemory = {
  /** Returns the walk of an account. Makes a new walk when there is none. */
  walkOf(account: Address): HistoryWalk
  /** Drops the walk of an account whose balance is explained. */
  forget(account: Address): void
  /** Evicts the walks that were used longest ago until the bounds are kept. */
  trim(): void
}

export function createHistoryMemory(): HistoryMemory {
  const walks = new Map<Address, HistoryWalk>()
  return {
    walkOf(account) {
      const walk = walks.get(account) ?? new HistoryWalk()
      // A Map keeps the order of insertion: the walk that was used last is at the end.
      walks.delete(account)
      walks.set(account, walk)
      return walk
    },
    forget: (account) => void walks.delete(account),
    trim() {
      let signatures = [...walks.values()].reduce((sum, { size }) => sum + size, 0)
      for (const [account, { size }] of walks) {
        if (walks.size <= MAX_WALKS && signatures <= MAX_SIGNATURES) return
        signatures -= size
        walks.delete(account)
      }
    },
  }
}
