// Adds the changes of marketplaces' figures to the rollups, batch by batch.
import type { StatsRollupStore } from '#ports/marketplace-stats.ts'

const BATCH = 2_000
const MAX_BATCHES = 10

/** Returns a round of at most 20,000 changes; `again` when there may be more. */
export const createStatsCompactor = (store: StatsRollupStore) => async (): Promise<{ readonly again: boolean }> => {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if ((await store.compact(BATCH)) < BATCH) return { again: false }
  }
  return { again: true }
}
