// Derivation indexes, read from the database in blocks, so that a create does not wait for the database.
import type { IntentStore } from '#ports/payments.ts'

type Store = Pick<IntentStore, 'reserveIndexes'>

const MIN_BLOCK = 32
const MAX_BLOCK = 1_024

/**
 * Returns each index once. A block is as large as the number of indexes used before, within bounds: a busy instance does
 * not wait for a block, and an idle instance that stops loses a few dozen indexes, which is harmless.
 */
export function createIndexAllocator(store: Store): () => Promise<number> {
  const indexes = new Indexes(store)
  return () => indexes.next()
}

class Indexes {
  readonly #store: Store
  #free: number[] = []
  #used = 0
  #refill: Promise<void> | null = null

  constructor(store: Store) {
    this.#store = store
  }

  async next(): Promise<number> {
    for (;;) {
      const index = this.#free.shift()
      if (index !== undefined) return this.#use(index)
      await this.#startRefill()
    }
  }

  #use(index: number): number {
    this.#used += 1
    // A refill in advance can fail without an effect. A call that finds the block empty asks again, and gets the error.
    if (this.#free.length < this.#blockSize() / 2) this.#startRefill().catch(() => {})
    return index
  }

  #blockSize(): number {
    return Math.min(MAX_BLOCK, Math.max(MIN_BLOCK, this.#used))
  }

  #startRefill(): Promise<void> {
    this.#refill ??= this.#reserve().finally(() => {
      this.#refill = null
    })
    return this.#refill
  }

  async #reserve(): Promise<void> {
    const block = await this.#store.reserveIndexes(this.#blockSize())
    this.#free = [...this.#free, ...block]
  }
}
