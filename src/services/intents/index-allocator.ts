// Derivation indexes, taken from the database in blocks, so that a create does not wait for one.
import type { IntentStore } from '#ports/stores.ts'

const BLOCK = 128

/** Hands out each index once. A block that a stopped instance did not use up is lost, which costs nothing. */
export function createIndexAllocator(store: Pick<IntentStore, 'reserveIndexes'>): () => Promise<number> {
  let free: number[] = []
  let refill: Promise<void> | null = null

  const startRefill = (): Promise<void> => {
    refill ??= store
      .reserveIndexes(BLOCK)
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
      // A failed refill ahead of need is nobody's error yet; who finds the block empty asks again and hears it.
      if (free.length < BLOCK / 4) startRefill().catch(() => {})
      return index
    }
  }
}
