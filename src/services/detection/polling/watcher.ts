// Finds deposits by reading balances. A notice only says which balance to read first. When the known deposits do not
// explain a balance, the history of its account is read.

import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import { forEachParallel } from '#lib/parallel.ts'
import { msSince } from '#lib/time.ts'
import { QUICK_CHECK } from '#services/detection/observe.ts'
import {
  type BalanceCheckDeps,
  type CheckBalances,
  type Checked,
  createBalanceCheck,
  startRound,
} from './balance-check.ts'
import { CheckQueue } from './check-queue.ts'
import type { StepBudget } from './history-walk.ts'
import { type Batch, LapSchedule } from './lap-schedule.ts'
import {
  accountsIn,
  LAP_EVERY_MS,
  NOTICED_CALLS_PER_MINUTE,
  NOTICED_FACTOR,
  PAYABLE,
  type Pace,
  type Watch,
} from './watch-list.ts'
import { WatchedIntents, type WatchedIntentsDeps, type WatchScope } from './watched-intents.ts'

/** Notices cause ten rounds a second, and which laps are due is found by going through all addresses. */
const LAPS_BEGIN_EVERY_MS = 500
const LESS_URGENT: readonly Pace[] = ['idle', 'closing', 'ended', 'old']
/** The most that a check of an intent in the backlog may cost, for each account. */
const DEEP_CHECK: StepBudget = { pages: 4, transactions: 16, ms: 5_000 }
/** Intents of the backlog that are checked in one round. */
const BACKLOG_AT_ONCE = 2
/** Intents that a check had no time for and that are checked in one round: few calls for their balances. */
const DEFERRED_AT_ONCE = 256

export type WatcherDeps = BalanceCheckDeps &
  WatchedIntentsDeps & {
    /**
     * Most `getMultipleAccounts` calls a minute that regular laps may cost; more intents are read less often. Those of addresses
     * with notices have calls of their own.
     */
    readonly callsPerMinute: number
    /** Called for each notice of a watched account of an intent that a buyer can still pay. */
    readonly onNotice: () => void
  }

type Done = Pick<Checked, 'read' | 'observed'>

export class Watcher {
  readonly #deps: WatcherDeps
  readonly #watched: WatchedIntents
  readonly #polled: LapSchedule
  /** The slower laps of addresses that have notices. */
  readonly #noticed: LapSchedule
  readonly #queue = new CheckQueue()
  readonly #check: CheckBalances
  #loaded = false
  /** Counts `readAll`: a check that began before the last one read no balance after it. */
  #generation = 0
  #agedAt = 0
  #lapsBegunAt = 0

  constructor(deps: WatcherDeps) {
    this.#deps = deps
    this.#watched = new WatchedIntents(deps)
    this.#polled = new LapSchedule(deps.callsPerMinute)
    this.#noticed = new LapSchedule(NOTICED_CALLS_PER_MINUTE, NOTICED_FACTOR)
    this.#check = createBalanceCheck(deps)
    deps.notices?.onNotice((account) => {
      const watch = this.#watched.owner(account)
      // The others are read at their pace: anyone can pay to them, again and again.
      if (watch === null || !PAYABLE.includes(watch.pace)) return
      this.#queue.add(watch.intent.id)
      deps.onNotice()
    })
  }

  /** Loads every intent to watch. */
  async reload(scope: WatchScope = 'all'): Promise<void> {
    // Set first, so that a change notice that arrives while pages are read is not passed over.
    this.#loaded = true
    try {
      await this.#watched.load(scope)
      // A lap that began meanwhile has only the intents that were loaded by then.
      this.#resetLaps()
    } catch (error) {
      this.#loaded = false
      throw error
    }
  }

  /** Loads open intents again, and intents that were open when last read, in case a notice was lost. */
  catchUp(): Promise<void> {
    return this.#watched.catchUp()
  }

  /** Reads intents that were created or changed. */
  refresh(intentIds: readonly string[]): Promise<void> {
    return this.#watched.refresh(intentIds)
  }

  /**
   * Checks the balances of queued intents and of the next batch of every lap under way. Busy intents are
   * checked first, and a failure to read the others does not concern them.
   */
  async runOnce(): Promise<{ read: number; observed: number }> {
    const now = this.#now()
    await this.#beginLaps(now)
    const busy = this.#batches(['busy'], now)
    const others = this.#batches(LESS_URGENT, now)
    const queued = this.#queue.take(now)
    const urgent = [...queued.flatMap((id) => this.#watched.watchesOf(id)), ...watchesIn(busy)]
    const [first, second] = partsOf(this.#toRead(urgent), this.#toRead(watchesIn(others)))
    const hasTime = startRound(this.#deps.clock)
    const before = await this.#checkPart(first, busy, hasTime).catch((error: unknown) => {
      for (const id of queued) this.#queue.add(id)
      throw error
    })
    // Intents may have changed during the first check.
    const after = await this.#checkPart(this.#toRead(second), others, hasTime)
    return { read: before.read + after.read, observed: before.observed + after.observed }
  }

  /**
   * Checks the first intents of the backlog: intents whose history is longer than a quick check may read, and intents that
   * a check had no time for. The jobs that detect payments for all intents leave both out and never wait for them.
   */
  async readBacklog(): Promise<{ read: number; observed: number }> {
    const parts = [
      { ids: this.#queue.firstOfBacklog(BACKLOG_AT_ONCE), budget: DEEP_CHECK },
      { ids: this.#queue.firstDeferred(DEFERRED_AT_ONCE), budget: QUICK_CHECK },
    ]
    const done = { read: 0, observed: 0 }
    await forEachParallel(parts, parts.length, async ({ ids, budget }) => {
      const { read, observed } = await this.#checkQueued(ids, budget)
      done.read += read
      done.observed += observed
    })
    return done
  }

  /** Makes every pace due with the next run. Checks that are under way do not count as part of that lap. */
  readAll(): void {
    this.#generation += 1
    this.#resetLaps()
    this.#queue.restartUnexplained()
  }

  /** Returns watched intents that every check for at least `ms` milliseconds has not explained. */
  unexplainedFor(ms: number): readonly string[] {
    return this.#queue.unexplainedFor(ms, this.#now())
  }

  /**
   * Checks intents, watched or not. Returns the intents whose balances nothing explains yet, or were read at a slot before
   * `notBefore`.
   */
  async checkOnce(intentIds: readonly string[], notBefore?: bigint): Promise<readonly string[]> {
    const watches = await this.#watched.unexplainedWatches(intentIds)
    const { again, unfinished, deferred } = await this.#check(watches, QUICK_CHECK, { notBefore })
    return [...again, ...unfinished, ...deferred]
  }

  /** Checks intents like `checkOnce`, with the budget of the backlog. */
  async checkDeeply(intentIds: readonly string[], notBefore?: bigint): Promise<Pick<Checked, 'again' | 'unfinished'>> {
    const watches = await this.#watched.unexplainedWatches(intentIds)
    const { again, unfinished, deferred } = await this.#check(watches, DEEP_CHECK, { notBefore })
    return { again, unfinished: [...unfinished, ...deferred] }
  }

  /** Stops watching: another instance reads this chain. */
  forget(): void {
    this.#loaded = false
    this.#resetLaps()
    this.#queue.forget()
    this.#watched.clear()
  }

  /**
   * Intents whose balances nothing explains; null until everything was read since `readAll`. An intent that a lap leaves
   * out, because it waits for another check, is among them.
   */
  get unexplained(): ReadonlySet<string> | null {
    return this.#polled.isComplete && this.#noticed.isComplete ? this.#queue.unexplained : null
  }

  get size(): number {
    return this.#watched.size
  }

  /** False until the first reload, and again after `forget`. */
  get loaded(): boolean {
    return this.#loaded
  }

  #now(): number {
    return this.#deps.clock.now().getTime()
  }

  /** Checks one of the reads of a round, and records it in the batches that need it. */
  async #checkPart(watches: readonly Watch[], batches: readonly Batch[], hasTime: () => boolean): Promise<Done> {
    try {
      const ids = new Set(watches.map(({ intent }) => intent.id))
      const done = await this.#checkAndFile(ids, watches, QUICK_CHECK, hasTime)
      for (const batch of batches) batch.succeed()
      return done
    } catch (error) {
      for (const batch of batches) batch.fail(this.#now())
      throw error
    }
  }

  async #checkQueued(ids: readonly string[], budget: StepBudget): Promise<Done> {
    const watches = ids.flatMap((id) => this.#watched.watchesOf(id))
    return await this.#checkAndFile(ids, watches, budget).catch((error: unknown) => {
      this.#queue.moveToEnd(ids)
      throw error
    })
  }

  async #checkAndFile(
    ids: Iterable<string>,
    watches: readonly Watch[],
    budget: StepBudget,
    hasTime?: () => boolean,
  ): Promise<Done> {
    const generation = this.#generation
    const checked = await this.#check(watches, budget, { hasTime })
    this.#queue.file(ids, checked, this.#now(), generation === this.#generation)
    return checked
  }

  /** Returns the present watches of intents that wait for no other check. */
  #toRead(watches: readonly Watch[]): readonly Watch[] {
    const present = watches.flatMap((watch) => this.#watched.current(watch) ?? [])
    return present.filter(({ intent }) => !this.#queue.waits(intent.id))
  }

  /** Begins the laps that are due. Before, intents move to the pace of their age, and the accounts with notices are chosen. */
  async #beginLaps(now: number): Promise<void> {
    if (msSince(this.#agedAt, now) >= LAP_EVERY_MS.closing) {
      this.#agedAt = now
      await this.#watched.age(new Date(now))
    }
    this.#watched.subscribe(now)
    if (msSince(this.#lapsBegunAt, now) < LAPS_BEGIN_EVERY_MS) return
    this.#lapsBegunAt = now
    const { polled, noticed } = this.#watched.byNotices()
    this.#polled.begin(polled, now)
    this.#noticed.begin(noticed, now)
  }

  #batches(paces: readonly Pace[], now: number): readonly Batch[] {
    return [this.#polled, this.#noticed].flatMap((schedule) => schedule.batches(paces, now))
  }

  #resetLaps(): void {
    this.#lapsBegunAt = 0
    this.#polled.reset()
    this.#noticed.reset()
  }
}

const watchesIn = (batches: readonly Batch[]): readonly Watch[] => batches.flatMap(({ watches }) => watches)

/** Returns the two reads, each watch once. The last call for urgent watches is filled up with others. */
export function partsOf(
  urgent: readonly Watch[],
  others: readonly Watch[],
): readonly [readonly Watch[], readonly Watch[]] {
  const first = new Set(urgent)
  const left = [...new Set(others)].filter((watch) => !first.has(watch))
  const accounts = accountsIn([...first])
  let free = Math.ceil(accounts / ACCOUNTS_PER_CALL) * ACCOUNTS_PER_CALL - accounts
  const filling = left.findIndex((watch) => {
    free -= watch.accounts.length
    return free < 0
  })
  const filled = filling === -1 ? left.length : filling
  return [[...first, ...left.slice(0, filled)], left.slice(filled)]
}
