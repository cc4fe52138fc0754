// Writes the index by which searches find payments, soon after their creation.
import type { SearchIndexStore } from '#ports/payments.ts'

const BATCH = 200
const MAX_BATCHES = 20

/** Returns a round of at most 4,000 payments; `again` when there may be more. */
export const createSearchIndexer = (store: SearchIndexStore) => async (): Promise<{ readonly again: boolean }> => {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if ((await store.index(BATCH)) < BATCH) return { again: false }
  }
  return { again: true }
}
