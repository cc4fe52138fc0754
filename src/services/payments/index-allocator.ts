// Derivation indexes, taken from the database in blocks, so that a create does not wait for one.
import type { IntentStore } from '#ports/payments.ts'

const SMALLEST_BLOCK = 32
const LARGEST_BLOCK = 1_024

/**
 * Hands out each index once. A block is as large as all that were handed out before, within bounds: a busy instance
 * never waits for one, and a quiet one that stops loses a few dozen, which costs nothing.
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
      // A failed refill ahead of need is nobody's error yet; who finds the block empty asks again and hears it.
      if (free.length < blockSize() / 2) startRefill().catch(() => {})
      return index
    }
  }
}
