// Removes challenges that no wallet answered in time. A signed one is the record of a consent, and is kept.
import type { Clock } from '#ports/clock.ts'
import type { ChallengeStore } from '#ports/wallet-challenges.ts'

const BATCH = 1_000
const MAX_BATCHES = 20

/** Removes in small statements, at most 20 in a call. Returns whether more may be left. */
export const createChallengeRemover =
  ({ challenges, clock }: { readonly challenges: Pick<ChallengeStore, 'removeExpired'>; readonly clock: Clock }) =>
  async (): Promise<{ readonly again: boolean }> => {
    const before = clock.now()
    for (let batch = 0; batch < MAX_BATCHES; batch += 1)
      if ((await challenges.removeExpired(before, BATCH)) < BATCH) return { again: false }
    return { again: true }
  }
