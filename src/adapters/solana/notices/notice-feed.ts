// What the connections of every kind have in common: accounts whose changes they report, and ticks, which prove that they do.
import type { Address } from '#core/chain/types.ts'
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'

/** Without a tick for this long, notices may be missing: 25 slots of mainnet. */
const SILENT_MS = 5_000
/** A connection that is this far behind what was read sends its notices too late: 5 seconds of mainnet. */
const MAX_LAG_SLOTS = 25n

export type FeedHandlers = {
  /** Called for each notice of an account. */
  readonly onAccount: (account: Address) => void
  /** Called for each tick that counts, with the newest final slot. */
  readonly onTick: (slot: bigint) => void
  /** Called once, when the connection ends or cannot be opened; never while it is being made. */
  readonly onEnd: () => void
}

export type FeedOptions = {
  readonly clock: Clock
  /** The newest slot at which accounts were read lately; null when none was read. */
  readonly newestSlot: () => bigint | null
  /** How often a connection is checked: one without a tick since the last time is ended. */
  readonly checkEveryMs: number
}

/** One connection to one provider. */
export type NoticeFeed = {
  subscribe(account: Address): void
  unsubscribe(account: Address): void
  /** As `AccountNotices`. */
  coveredSince(account: Address): bigint | null
  /** Whether the provider sends notices: it has ticked a moment ago. */
  readonly isTicking: boolean
  /** Whether the provider refuses some of the accounts. */
  readonly isRefused: boolean
  close(): void
}

export type OpenFeed = (options: FeedOptions, accounts: Iterable<Address>, handlers: FeedHandlers) => NoticeFeed

/** The ticks of one connection. */
export class Ticks {
  readonly #options: Pick<FeedOptions, 'clock' | 'newestSlot'>
  /** When it opened or ticked last. */
  #aliveAt: number
  #hasTicked = false
  /** The slot of the first tick after the last silence. */
  #since = 0n

  constructor(options: Pick<FeedOptions, 'clock' | 'newestSlot'>) {
    this.#options = options
    this.#aliveAt = this.#now()
  }

  /** Takes a tick, and returns whether it counts: one that is too far behind what was read proves nothing. */
  add(slot: bigint): boolean {
    if (slot + MAX_LAG_SLOTS < (this.#options.newestSlot() ?? 0n)) return false
    if (!this.isTicking) this.#since = slot
    this.#aliveAt = this.#now()
    this.#hasTicked = true
    return true
  }

  get isTicking(): boolean {
    return this.#hasTicked && this.silentMs < SILENT_MS
  }

  get silentMs(): number {
    return msSince(this.#aliveAt, this.#now())
  }

  /** Returns from which slot on an account is covered, of which every change causes a notice from `since` on. */
  coveredSince(since: bigint | null): bigint | null {
    if (since === null || !this.isTicking) return null
    return since > this.#since ? since : this.#since
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}
