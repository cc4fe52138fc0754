// A lap reads every address of a pace once, in batches: many addresses are read over many rounds, and a failed batch is read again
// alone.
import { msSince } from '#lib/time.ts'
import type { Watch } from './watch-list.ts'

/** A batch that failed is read again after this time. */
const RETRY_MS = 2_000

export type Batch = {
  readonly watches: readonly Watch[]
  /** Records that these watches were read. */
  succeed(): void
  /** Records that these watches could not be read: the next batch begins with them, after a pause. */
  fail(now: number): void
}

export class Lap {
  readonly #watches: readonly Watch[]
  #position = 0
  #failedAt: number | null = null

  /** Begins a lap. `watches`: the members of its pace. An intent that moves to another pace is still read. */
  constructor(watches: readonly Watch[]) {
    this.#watches = watches
  }

  /**
   * Returns the next watches, with about `accounts` accounts, as they were when the lap began; null while a failed
   * batch waits.
   */
  next(accounts: number, now: number): Batch | null {
    if (this.#failedAt !== null && msSince(this.#failedAt, now) < RETRY_MS) return null
    const end = this.#endOfBatch(accounts)
    return {
      watches: this.#watches.slice(this.#position, end),
      succeed: () => {
        this.#position = end
        this.#failedAt = null
      },
      fail: (failedAt) => {
        this.#failedAt = failedAt
      },
    }
  }

  /** Whether every watch was read. */
  get isDone(): boolean {
    return this.#position >= this.#watches.length
  }

  /** Returns the position after the next batch, which has at least one watch. */
  #endOfBatch(accounts: number): number {
    let end = this.#position
    for (let taken = 0; end < this.#watches.length && taken < accounts; end += 1)
      taken += this.#watches[end]?.accounts.length ?? 0
    return end
  }
}
