// The sweep of one tier, read in slices: a large tier is read over many rounds, and a failed slice is read again alone.
import { msSince } from '#lib/ms-since.ts'
import type { Watch } from './watch-list.ts'

/** A slice that failed is read again after this time. */
const RETRY_MS = 2_000

export type Slice = {
  readonly watches: readonly Watch[]
  /** Records that these watches were read. */
  succeed(): void
  /** Records that these watches could not be read: the next slice begins with them, after a pause. */
  fail(now: number): void
}

export type TierSweep = {
  /**
   * Returns the next watches, with about `accounts` accounts, as they were when the sweep began; null while a failed
   * slice waits.
   */
  next(accounts: number, now: number): Slice | null
  /** Whether every watch was read. */
  readonly isDone: boolean
}

/**
 * Begins a sweep. `watches`: the members of the tier when the sweep begins. An intent that moves to another tier is still read.
 */
export const createTierSweep = (watches: readonly Watch[]): TierSweep => new TierSweepState(watches)

class TierSweepState implements TierSweep {
  readonly #watches: readonly Watch[]
  #position = 0
  #failedAt: number | null = null

  constructor(watches: readonly Watch[]) {
    this.#watches = watches
  }

  next(accounts: number, now: number): Slice | null {
    if (this.#failedAt !== null && msSince(this.#failedAt, now) < RETRY_MS) return null
    const end = this.#endOfSlice(accounts)
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

  get isDone(): boolean {
    return this.#position >= this.#watches.length
  }

  /** Returns the position after the next slice, which has at least one watch. */
  #endOfSlice(accounts: number): number {
    let end = this.#position
    for (let taken = 0; end < this.#watches.length && taken < accounts; end += 1)
      taken += this.#watches[end]?.accounts.length ?? 0
    return end
  }
}
