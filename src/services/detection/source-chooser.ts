// Chooses how the deposits of a network are found, by the RPC calls a minute that polling and blocks cost, and stores
// the choice.
import {
  chooseSource,
  type DepositSourceKind,
  pollingCallsPerMinute,
  type SourceCosts,
} from '#core/chain/source-choice.ts'
import type { Network } from '#core/chain/types.ts'
import { CHECKOUT_WINDOW_SECONDS } from '#core/payments/payment-intent.ts'
import { msSince } from '#lib/time.ts'
import type { AccountNotices, NoticeCoverage, SlotTime } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceState, DepositSourceStore, WatchLoad } from '#ports/deposit-sources.ts'
import { LAP_EVERY_MS, NOTICED, NOTICED_CALLS_PER_MINUTE, NOTICED_FACTOR, PACES } from './polling/watch-list.ts'

const LISTINGS_PER_MINUTE = 10
/** An outage of notices that is shorter is no reason to change the source. */
const OUTAGE_MS = 5 * 60_000
/** Choices, one a minute, of which the best coverage counts. */
const COVERAGES = 5
const SOURCES = { websockets: 'websockets', stream: 'the stream' } as const
const NO_NOTICES: NoticeCoverage = { via: 'websockets', isTicking: false, wanted: 0, covered: 0 }

export type SourceChoiceState = Omit<DepositSourceState, 'cursor'>

export type SourceChooserDeps = {
  readonly network: Network
  readonly store: Pick<DepositSourceStore, 'read' | 'load' | 'saveChoice'>
  /** The source that the operator has chosen; null leaves the choice to the costs. */
  readonly fixed: DepositSourceKind | null
  /** As `SourceCosts`. */
  readonly blockCredits: number
  readonly slotTime: SlotTime
  readonly notices: Pick<AccountNotices, 'coverage' | 'room'> | null
  readonly clock: Clock
}

export class SourceChooser {
  readonly #deps: SourceChooserDeps
  readonly #room: NoticeRoom
  #state: SourceChoiceState | null = null

  constructor(deps: SourceChooserDeps) {
    this.#deps = deps
    this.#room = new NoticeRoom()
  }

  /** Reads the stored state; null before the first choice. */
  async read(): Promise<DepositSourceState | null> {
    const state = await this.#deps.store.read(this.#deps.network)
    this.#state = state
    return state
  }

  /**
   * Chooses by the costs, or as the operator has. `now` is real time; `issued` is the number of addresses. The choice
   * holds when it is saved.
   */
  async choose(now: Date, issued: number): Promise<SourceChoiceState> {
    const { fixed, notices } = this.#deps
    const coverage = notices?.coverage() ?? NO_NOTICES
    const costs = await this.#costs(issued, this.#room.at(now, coverage, notices?.room ?? 0))
    const state = this.#state
    const sinceMs = state === null ? null : now.getTime() - state.since.getTime()
    const choice =
      fixed === null
        ? chooseSource({ source: state?.source ?? 'polling', sinceMs }, costs)
        : { source: fixed, reason: 'the operator has settled on it' }
    return {
      ...choice,
      reason:
        choice.reason +
        (coverage.isTicking && coverage.wanted > 0 ? `; notices come from ${SOURCES[coverage.via]}` : ''),
      since: state?.source === choice.source ? state.since : now,
      noticeCallsPerMinute: costs.polling,
      pollingCallsPerMinute: costs.unnoticed,
      blockCallsPerMinute: costs.blocks,
      noticedAccounts: coverage.covered,
      watchedAccounts: coverage.wanted,
    }
  }

  async save(choice: SourceChoiceState): Promise<void> {
    this.#state = choice
    await this.#deps.store.saveChoice(this.#deps.network, choice)
  }

  /** The source that was read or saved last; null before the first choice. */
  get source(): DepositSourceKind | null {
    return this.#state?.source ?? null
  }

  /** Returns the costs: a call for each block, or full calls for the accounts of each pace. `room` of them have notices. */
  async #costs(issued: number, room: number): Promise<SourceCosts> {
    const { store, network, clock, slotTime, blockCredits } = this.#deps
    const load = await store.load(network, clock.now(), issued)
    return {
      polling: callsWithNotices(load, room),
      unnoticed: callsFor(load),
      blocks: 60_000 / slotTime.slotMs() + LISTINGS_PER_MINUTE,
      blockCredits,
    }
  }
}

const callsFor = (load: WatchLoad, factor = 1): number =>
  pollingCallsPerMinute(PACES.map((pace) => ({ accounts: load[pace], everyMs: LAP_EVERY_MS[pace] * factor })))

/** The most urgent accounts have notices. Each of a new payment is read once before. */
function callsWithNotices(load: WatchLoad, room: number): number {
  const [noticed, others] = [{ ...load, old: 0 }, { ...load }]
  let left = room
  for (const pace of NOTICED) {
    noticed[pace] = Math.min(load[pace], left)
    others[pace] -= noticed[pace]
    left -= noticed[pace]
  }
  const first = pollingCallsPerMinute([
    { accounts: noticed.busy + noticed.idle, everyMs: CHECKOUT_WINDOW_SECONDS * 1_000 },
  ])
  return callsFor(others) + first + Math.min(callsFor(noticed, NOTICED_FACTOR), NOTICED_CALLS_PER_MINUTE)
}

/** How many accounts notices can cover, as far as is known: while nothing is watched, what was known last. */
class NoticeRoom {
  /** The last coverages: all that may have notices, where every account was covered. */
  #rooms: readonly number[] = []
  #tickedAt: number | null = null

  /** `most`: how many may have notices. */
  at(date: Date, { isTicking, wanted, covered }: NoticeCoverage, most: number): number {
    const now = date.getTime()
    if (isTicking || this.#tickedAt === null) this.#tickedAt = now
    if (this.#rooms.length === 0) this.#rooms = [most]
    if (isTicking && wanted > 0) this.#rooms = [...this.#rooms, covered < wanted ? covered : most].slice(-COVERAGES)
    return msSince(this.#tickedAt, now) < OUTAGE_MS ? Math.max(...this.#rooms) : 0
  }
}
