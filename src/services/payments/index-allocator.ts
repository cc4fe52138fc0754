// Derivation indexes, read from the database in blocks, so that a create does not wait for the database.
import type { IntentStore } from '#ports/payments.ts'

const SMALLEST_BLOCK = 32
const LARGEST_BLOCK = 1_024

/**
 * Returns each index once. A block is as large as the number of indexes used before, within bounds: a busy instance does
 * not wait for a block, and an idle instance that stops loses a few dozen indexes, which is harmless.
 */
export function createIndexAllocator(store: Pick<IntentStore, 'reserveIndexes'>): () => Promise<number> {
  let free: number[] = []
  let used = 0
  let refill: Promise<void> | null = null

  const blockSize = (): number => Math.min(LARGEST_BLOCK, Math.max(SMALLEST_BLOCK, used))

  const startRefill = (): Promise<void> => {
    refill ??= store
      .reserveIndexes(blockSize())
      .then((block) => {
        free = [...free, ...block]
      })
      .finally(() => {
        refill = null
      })
    return refill
  }

  return async () => {
    for (;;) {
      const index = free.shift()
      if (index === undefined) {
        await startRefill()
        continue
      }
      used += 1
      // A failed refill in advance is no error yet: the caller that finds the block empty requests again and gets the error.
      if (free.length < blockSize() / 2) startRefill().catch(() => {})
      return index
    }
  }
}
