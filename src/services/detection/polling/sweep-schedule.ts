// When each tier is swept. A tier has a wanted pace; when all tiers together would cost more RPC calls than the budget
// allows, every tier waits longer by the same factor.

import { msSince } from '#lib/ms-since.ts'
import { SWEEP_EVERY_MS, TIERS, type Tier } from './watch-list.ts'

const ACCOUNTS_PER_CALL = 100

export type SweepSchedule = {
  /** Returns the tiers that are due at `now`. `accountsIn` counts the accounts of a tier. */
  due(now: number, accountsIn: (tier: Tier) => number): readonly Tier[]
  /** Records that the sweep of these tiers begins at `now`. */
  begin(tiers: readonly Tier[], now: number): void
  /** Records that the sweep of these tiers succeeded. */
  succeed(tiers: readonly Tier[]): void
  /** Records that the sweep of these tiers failed. Their next turn comes as soon as the turn of a busy tier. */
  fail(tiers: readonly Tier[], now: number): void
  /** Makes every tier due. */
  reset(): void
  /** Whether one sweep has read every tier since the last `reset`. */
  readonly isComplete: boolean
}

/** `callsPerMinute`: the most `getMultipleAccounts` calls that all sweeps together may cost. */
export const createSweepSchedule = (callsPerMinute: number): SweepSchedule => new SweepScheduleState(callsPerMinute)

class SweepScheduleState implements SweepSchedule {
  readonly #callsPerMinute: number
  readonly #sweptAt: Record<Tier, number> = { busy: 0, idle: 0, closing: 0, ended: 0, old: 0 }
  #isComplete = false

  constructor(callsPerMinute: number) {
    this.#callsPerMinute = callsPerMinute
  }

  due(now: number, accountsIn: (tier: Tier) => number): readonly Tier[] {
    const stretch = this.#stretch(accountsIn)
    return TIERS.filter((tier) => msSince(this.#sweptAt[tier], now) >= SWEEP_EVERY_MS[tier] * stretch)
  }

  begin(tiers: readonly Tier[], now: number): void {
    for (const tier of tiers) this.#sweptAt[tier] = now
  }

  succeed(tiers: readonly Tier[]): void {
    this.#isComplete ||= tiers.length === TIERS.length
  }

  fail(tiers: readonly Tier[], now: number): void {
    for (const tier of tiers) this.#sweptAt[tier] = now - SWEEP_EVERY_MS[tier] + SWEEP_EVERY_MS.busy
  }

  reset(): void {
    for (const tier of TIERS) this.#sweptAt[tier] = 0
    this.#isComplete = false
  }

  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Returns the factor by which every tier waits longer than wanted, so that the sweeps keep to the budget. */
  #stretch(accountsIn: (tier: Tier) => number): number {
    const callsOf = (tier: Tier): number => Math.ceil(accountsIn(tier) / ACCOUNTS_PER_CALL)
    const wanted = TIERS.reduce((sum, tier) => sum + callsOf(tier) * (60_000 / SWEEP_EVERY_MS[tier]), 0)
    return Math.max(1, wanted / this.#callsPerMinute)
  }
}
