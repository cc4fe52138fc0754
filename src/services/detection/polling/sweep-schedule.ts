// When each tier is swept. A tier has a wanted pace; when all tiers together would cost more RPC calls than the budget
// allows, tiers wait longer: first those of payments that no buyer pays any more, because a stranger who pays a lamport to
// many of them must not slow down the others. A sweep is read in slices, one slice of each tier in a round, so
// that however many addresses a tier has, no round takes long.

import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import { msSince } from '#lib/ms-since.ts'
import { createTierSweep, type Slice, type TierSweep } from './tier-sweep.ts'
import { SWEEP_EVERY_MS, TIERS, type Tier, type Watch } from './watch-list.ts'

/** The smallest slice. One such slice a second is more than the production budget of 600 calls a minute needs. */
const MIN_SLICE_CALLS = 20
/**
 * Slices are larger by this factor until every tier was read since the last `reset`: block reading begins after that, with
 * a block that providers may keep for ten minutes only.
 */
const COMPLETE_SWEEP_FACTOR = 4

/** A buyer can still pay these. The other tiers get the calls that these leave, and at least their share. */
const PAYABLE: readonly Tier[] = ['busy', 'idle']
const OTHERS = TIERS.filter((tier) => !PAYABLE.includes(tier))
const SHARE_OF_OTHERS = 0.2

export type SweepSchedule = {
  /** Returns the tiers whose sweep is due to begin at `now`. `accountsIn` counts the accounts of a tier. */
  due(now: number, accountsIn: (tier: Tier) => number): readonly Tier[]
  /** Begins the sweep of these tiers at `now`. `membersOf` returns the watches of a tier. */
  begin(tiers: readonly Tier[], membersOf: (tier: Tier) => readonly Watch[], now: number): void
  /**
   * Returns the next slice of each sweep under way of these tiers. After a `reset`, what becomes of earlier slices has no
   * effect.
   */
  slices(tiers: readonly Tier[], now: number): readonly Slice[]
  /** Ends every sweep, and makes every tier due. */
  reset(): void
  /** Whether every tier was read since the last `reset`. */
  readonly isComplete: boolean
}

/** Makes the schedule. `callsPerMinute`: the most `getMultipleAccounts` calls that all sweeps together may cost. */
export const createSweepSchedule = (callsPerMinute: number): SweepSchedule => new SweepScheduleState(callsPerMinute)

class SweepScheduleState implements SweepSchedule {
  readonly #callsPerMinute: number
  readonly #accountsPerSlice: number
  readonly #begunAt: Record<Tier, number> = { busy: 0, idle: 0, closing: 0, ended: 0, old: 0 }
  /** The sweeps under way. */
  #sweeps = new Map<Tier, TierSweep>()
  /** Tiers that no sweep has read since the last `reset`. A later sweep of a tier may be under way. */
  #unread = new Set<Tier>(TIERS)

  constructor(callsPerMinute: number) {
    this.#callsPerMinute = callsPerMinute
    const calls = Math.ceil((callsPerMinute * SWEEP_EVERY_MS.busy) / 60_000)
    this.#accountsPerSlice = Math.max(MIN_SLICE_CALLS, calls) * ACCOUNTS_PER_CALL
  }

  due(now: number, accountsIn: (tier: Tier) => number): readonly Tier[] {
    this.#endSweeps()
    const stretch = this.#stretch(accountsIn)
    const isDue = (tier: Tier) => msSince(this.#begunAt[tier], now) >= SWEEP_EVERY_MS[tier] * stretch(tier)
    return TIERS.filter((tier) => !this.#sweeps.has(tier) && isDue(tier))
  }

  begin(tiers: readonly Tier[], membersOf: (tier: Tier) => readonly Watch[], now: number): void {
    for (const tier of tiers) {
      this.#begunAt[tier] = now
      this.#sweeps.set(tier, createTierSweep(membersOf(tier)))
    }
  }

  slices(tiers: readonly Tier[], now: number): readonly Slice[] {
    const accounts = this.#accountsPerSlice * (this.isComplete ? 1 : COMPLETE_SWEEP_FACTOR)
    return tiers.flatMap((tier) => this.#sweeps.get(tier)?.next(accounts, now) ?? [])
  }

  reset(): void {
    for (const tier of TIERS) this.#begunAt[tier] = 0
    this.#sweeps = new Map()
    this.#unread = new Set(TIERS)
  }

  get isComplete(): boolean {
    this.#endSweeps()
    return this.#unread.size === 0
  }

  #endSweeps(): void {
    for (const [tier, { isDone }] of this.#sweeps) {
      if (!isDone) continue
      this.#sweeps.delete(tier)
      this.#unread.delete(tier)
    }
  }

  /** Returns the factor by which a tier waits longer than wanted, so that the sweeps keep to the budget. */
  #stretch(accountsIn: (tier: Tier) => number): (tier: Tier) => number {
    const callsOf = (tier: Tier): number => Math.ceil(accountsIn(tier) / ACCOUNTS_PER_CALL)
    const wantedBy = (tiers: readonly Tier[]): number =>
      tiers.reduce((sum, tier) => sum + callsOf(tier) * (60_000 / SWEEP_EVERY_MS[tier]), 0)
    const [payable, others] = [wantedBy(PAYABLE), wantedBy(OTHERS)]
    const forPayable = this.#callsPerMinute - Math.min(others, SHARE_OF_OTHERS * this.#callsPerMinute)
    const forOthers = this.#callsPerMinute - Math.min(payable, forPayable)
    // Empty tiers are due at their own pace, also when nothing is left for them.
    const factor = (wanted: number, room: number): number => (wanted <= room ? 1 : wanted / room)
    return (tier) => (PAYABLE.includes(tier) ? factor(payable, forPayable) : factor(others, forOthers))
  }
}
