// How far the chain is final, from finality notices. While notices arrive, a deposit is not asked for before it can be
// final, and its job is woken as soon as it can be.

import { msSince } from '#lib/ms-since.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { Clock } from '#ports/clock.ts'

export type FinalityWatch = {
  /** The notices for the reader of blocks. */
  readonly notices: FinalityNotices
  /** Wakes once, when the slot may be final; null waits for nothing. */
  expect(slot: bigint | null): void
  /** Returns the newest final slot of the notices; null when the chain has to be asked. */
  newest(): bigint | null
}

/** Notices that are silent for longer are broken. */
const SILENT_MS = 3_000
/** Notices may lag. The chain itself is asked at least this often. */
const ASK_ANYWAY_MS = 10_000

export const createFinalityWatch = (source: FinalityNotices, wallClock: Clock, onReached: () => void): FinalityWatch =>
  new FinalityWatchState(source, wallClock, onReached)

class FinalityWatchState implements FinalityWatch {
  readonly notices: FinalityNotices
  readonly #source: FinalityNotices
  readonly #wallClock: Clock
  readonly #onReached: () => void
  #reader: ((slot: bigint) => void) | null = null
  #expected: bigint | null = null
  #last: { readonly slot: bigint; readonly at: number } | null = null
  /** Since when the notices have been trusted without asking the chain. */
  #trustedSince: number | null = null

  constructor(source: FinalityNotices, wallClock: Clock, onReached: () => void) {
    this.#source = source
    this.#wallClock = wallClock
    this.#onReached = onReached
    this.notices = {
      followFinality: (listener) => {
        this.#reader = listener
        this.#listen()
      },
    }
  }

  expect(slot: bigint | null): void {
    this.#expected = slot
    this.#listen()
  }

  newest(): bigint | null {
    const now = this.#now()
    this.#trustedSince ??= now
    const isRecent = this.#last !== null && msSince(this.#last.at, now) < SILENT_MS
    if (isRecent && msSince(this.#trustedSince, now) < ASK_ANYWAY_MS) return this.#last?.slot ?? null
    this.#trustedSince = now
    return null
  }

  #now(): number {
    return this.#wallClock.now().getTime()
  }

  #listen(): void {
    const isWanted = this.#reader !== null || this.#expected !== null
    this.#source.followFinality(isWanted ? this.#onSlot : null)
  }

  readonly #onSlot = (slot: bigint): void => {
    this.#last = { slot, at: this.#now() }
    this.#reader?.(slot)
    if (this.#expected === null || slot < this.#expected) return
    this.#expected = null
    this.#listen()
    this.#onReached()
  }
}
