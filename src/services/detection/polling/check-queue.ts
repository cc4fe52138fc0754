// Intents whose balances are checked outside the regular laps: after a notice, again while a balance is unexplained,
// and in the backlog while a history is longer than a quick check may read, or when a check had no time left.

import { msSince } from '#lib/time.ts'
import type { Checked } from './balance-check.ts'

/** An unexplained balance rests for a moment: a notice can arrive before the provider lists its transaction. */
const REST_MS = 400
/** After this many checks in a row that explain nothing, each rest is twice as long as the last, up to the longest. */
const SHORT_RESTS = 8
const MAX_REST_MS = 10_000

type Filed = Pick<Checked, 'again' | 'unfinished' | 'deferred'>

export class CheckQueue {
  readonly #queued = new Set<string>()
  readonly #resting = new Map<string, { readonly since: number; readonly ms: number }>()
  /** How many checks in a row explained nothing, and since when. */
  readonly #fruitless = new Map<string, { readonly checks: number; readonly since: number }>()
  /** In the order in which the intents are checked. */
  readonly #backlog = new Set<string>()
  readonly #deferred = new Set<string>()
  readonly #unexplained = new Set<string>()

  /** Queues an intent for the next run. */
  add(intentId: string): void {
    this.#queued.add(intentId)
  }

  /** Takes the queued intents that do not wait. `now` is in milliseconds. */
  take(now: number): readonly string[] {
    for (const [id, { since, ms }] of this.#resting) if (msSince(since, now) >= ms) this.#resting.delete(id)
    const taken = [...this.#queued].filter((id) => !this.waits(id))
    for (const id of taken) this.#queued.delete(id)
    return taken
  }

  /** Returns whether an intent rests, or is in the backlog or deferred. */
  waits(intentId: string): boolean {
    return this.#resting.has(intentId) || this.#backlog.has(intentId) || this.#deferred.has(intentId)
  }

  /**
   * Files checked intents: explained, queued again after a rest, deferred, or at the end of the backlog. A check that is not
   * current began before the last `restartUnexplained`: an intent that is unexplained since stays so, and is queued again.
   */
  file(intentIds: Iterable<string>, { again, unfinished, deferred }: Filed, now: number, isCurrent: boolean): void {
    const notExplained = new Set(again)
    const notBegun = new Set(deferred)
    for (const id of intentIds) {
      if (isCurrent) this.#unexplained.delete(id)
      else if (this.#unexplained.has(id)) this.add(id)
      this.#backlog.delete(id)
      // A deferred intent keeps its place until it is checked.
      if (!notBegun.has(id)) this.#deferred.delete(id)
      if (!notExplained.has(id)) this.#fruitless.delete(id)
    }
    for (const id of notExplained) {
      this.add(id)
      this.#rest(id, now)
    }
    for (const id of unfinished) this.#backlog.add(id)
    for (const id of notBegun) this.#deferred.add(id)
    for (const id of [...again, ...unfinished, ...deferred]) this.#unexplained.add(id)
  }

  /** Returns the first `limit` intents of the backlog. */
  firstOfBacklog(limit: number): readonly string[] {
    return [...this.#backlog].slice(0, limit)
  }

  /** Returns the first `limit` intents that a check had no time for. */
  firstDeferred(limit: number): readonly string[] {
    return [...this.#deferred].slice(0, limit)
  }

  /** Moves intents to the end of their list, so that a failing check does not hold up the others. */
  moveToEnd(intentIds: readonly string[]): void {
    for (const list of [this.#backlog, this.#deferred]) for (const id of intentIds) if (list.delete(id)) list.add(id)
  }

  /** Forgets which intents rest, are in the backlog, are deferred or are unexplained. Queued intents stay queued. */
  forget(): void {
    this.#resting.clear()
    this.#backlog.clear()
    this.#deferred.clear()
    this.#fruitless.clear()
    this.#unexplained.clear()
  }

  /** Intents that no check has explained: since the last `restartUnexplained`, intents that waited then included. */
  get unexplained(): ReadonlySet<string> {
    return this.#unexplained
  }

  /** Returns intents that every check for at least `ms` milliseconds has not explained. */
  unexplainedFor(ms: number, now: number): readonly string[] {
    return [...this.#fruitless].filter(([, { since }]) => msSince(since, now) >= ms).map(([id]) => id)
  }

  /** Counts as unexplained only the intents that wait: laps leave them out. */
  restartUnexplained(): void {
    this.#unexplained.clear()
    for (const waiting of [this.#resting.keys(), this.#backlog, this.#deferred])
      for (const id of waiting) this.#unexplained.add(id)
  }

  #rest(id: string, now: number): void {
    const { checks: before, since } = this.#fruitless.get(id) ?? { checks: 0, since: now }
    const checks = before + 1
    this.#fruitless.set(id, { checks, since })
    const ms = Math.min(REST_MS * 2 ** Math.max(0, checks - SHORT_RESTS), MAX_REST_MS)
    this.#resting.set(id, { since: now, ms })
  }
}
