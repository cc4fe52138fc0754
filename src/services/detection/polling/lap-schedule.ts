// When the addresses of each pace are read. When all paces together would cost more RPC calls than the budget allows, their laps
// wait longer: first those of payments that no buyer pays any more, because a stranger who pays a lamport to many of them must not
// slow down the others. A lap is read in batches, one batch of each pace in a round, so that however many addresses a pace has, no
// round takes long.

import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import { msSince } from '#lib/time.ts'
import { accountsIn, LAP_EVERY_MS, PACES, PAYABLE, type Pace, type Paced, type Watch } from './watch-list.ts'

/** The smallest batch. One such batch a second is more than the production budget of 600 calls a minute needs. */
const MIN_BATCH_CALLS = 20
/**
 * Batches are larger by this factor until every pace was read since the last `reset`: block reading begins after that, with
 * a block that providers may keep for ten minutes only.
 */
const COMPLETE_LAP_FACTOR = 4

/** Paces that are not payable get the calls that the payable ones leave, and at least their share. */
const OTHERS = PACES.filter((pace) => !PAYABLE.includes(pace))
const SHARE_OF_OTHERS = 0.2

export class LapSchedule {
  readonly #callsPerMinute: number
  readonly #factor: number
  readonly #accountsPerBatch: number
  readonly #begunAt: Record<Pace, number> = { busy: 0, idle: 0, closing: 0, ended: 0, old: 0 }
  /** The laps under way. */
  #laps = new Map<Pace, Lap>()
  /** Paces that no lap has read since the last `reset`. A later lap of a pace may be under way. */
  #unread = new Set<Pace>(PACES)

  /**
   * `callsPerMinute`: the most `getMultipleAccounts` calls that all laps together may cost. `factor`: how many times longer than
   * usual each pace waits.
   */
  constructor(callsPerMinute: number, factor = 1) {
    this.#callsPerMinute = callsPerMinute
    this.#factor = factor
    const calls = Math.ceil((callsPerMinute * this.#everyMs('busy')) / 60_000)
    this.#accountsPerBatch = Math.max(MIN_BATCH_CALLS, calls) * ACCOUNTS_PER_CALL
  }

  /** Begins the laps that are due at `now`. */
  begin(members: Paced, now: number): void {
    this.#endLaps()
    const stretch = this.#stretch(members)
    for (const pace of PACES) {
      if (this.#laps.has(pace) || msSince(this.#begunAt[pace], now) < this.#everyMs(pace) * stretch(pace)) continue
      this.#begunAt[pace] = now
      this.#laps.set(pace, new Lap(members[pace]))
    }
  }

  /**
   * Returns the next batch of each lap under way of these paces. After a `reset`, what becomes of earlier batches has no
   * effect.
   */
  batches(paces: readonly Pace[], now: number): readonly Batch[] {
    const accounts = this.#accountsPerBatch * (this.isComplete ? 1 : COMPLETE_LAP_FACTOR)
    return paces.flatMap((pace) => this.#laps.get(pace)?.next(accounts, now) ?? [])
  }

  /** Ends every lap, and makes every pace due. */
  reset(): void {
    for (const pace of PACES) this.#begunAt[pace] = 0
    this.#laps = new Map()
    this.#unread = new Set(PACES)
  }

  /** Whether every pace was read since the last `reset`. */
  get isComplete(): boolean {
    this.#endLaps()
    return this.#unread.size === 0
  }

  #endLaps(): void {
    for (const [pace, { isDone }] of this.#laps) {
      if (!isDone) continue
      this.#laps.delete(pace)
      this.#unread.delete(pace)
    }
  }

  #everyMs(pace: Pace): number {
    return LAP_EVERY_MS[pace] * this.#factor
  }

  /** Returns the factor by which a pace waits longer than wanted, so that the laps keep to the budget. */
  #stretch(members: Paced): (pace: Pace) => number {
    const callsOf = (pace: Pace): number => Math.ceil(accountsIn(members[pace]) / ACCOUNTS_PER_CALL)
    const wantedBy = (paces: readonly Pace[]): number =>
      paces.reduce((sum, pace) => sum + callsOf(pace) * (60_000 / this.#everyMs(pace)), 0)
    const [payable, others] = [wantedBy(PAYABLE), wantedBy(OTHERS)]
    const forPayable = this.#callsPerMinute - Math.min(others, SHARE_OF_OTHERS * this.#callsPerMinute)
    const forOthers = this.#callsPerMinute - Math.min(payable, forPayable)
    // Paces without addresses are due as wanted, also when nothing is left for them.
    const factor = (wanted: number, room: number): number => (wanted <= room ? 1 : wanted / room)
    return (pace) => (PAYABLE.includes(pace) ? factor(payable, forPayable) : factor(others, forOthers))
  }
}

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
