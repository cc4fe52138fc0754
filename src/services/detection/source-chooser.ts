// Chooses how the deposits of a network are found, by the RPC calls a minute that polling and blocks cost, and stores
// the choice.
import {
  chooseSource,
  type DepositSourceKind,
  pollingCallsPerMinute,
  type SourceCosts,
} from '#core/chain/source-choice.ts'
import type { Network } from '#core/chain/types.ts'
import type { SlotTime } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceState, DepositSourceStore } from '#ports/deposit-sources.ts'
import { LAP_EVERY_MS, PACES } from './polling/watch-list.ts'

const LISTINGS_PER_MINUTE = 10

export type SourceChoiceState = Omit<DepositSourceState, 'cursor'>

export type SourceChooserDeps = {
  readonly network: Network
  readonly store: Pick<DepositSourceStore, 'read' | 'load' | 'saveChoice'>
  /** The source that the operator has chosen; null leaves the choice to the costs. */
  readonly fixed: DepositSourceKind | null
  readonly slotTime: SlotTime
  readonly clock: Clock
}

export class SourceChooser {
  readonly #deps: SourceChooserDeps
  #state: SourceChoiceState | null = null

  constructor(deps: SourceChooserDeps) {
    this.#deps = deps
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
    const { fixed } = this.#deps
    const costs = await this.#costs(issued)
    const state = this.#state
    const sinceMs = state === null ? null : now.getTime() - state.since.getTime()
    const choice =
      fixed === null
        ? chooseSource({ source: state?.source ?? 'polling', sinceMs }, costs)
        : { source: fixed, reason: 'the operator has settled on it' }
    const since = state?.source === choice.source ? state.since : now
    return { ...choice, since, pollingCallsPerMinute: costs.polling, blockCallsPerMinute: costs.blocks }
  }

  async save(choice: SourceChoiceState): Promise<void> {
    this.#state = choice
    await this.#deps.store.saveChoice(this.#deps.network, choice)
  }

  /** The source that was read or saved last; null before the first choice. */
  get source(): DepositSourceKind | null {
    return this.#state?.source ?? null
  }

  /** Returns the costs: a call for each block, or full calls for the accounts of each pace. */
  async #costs(issued: number): Promise<SourceCosts> {
    const { store, network, clock, slotTime } = this.#deps
    const load = await store.load(network, clock.now(), issued)
    const polling = pollingCallsPerMinute(PACES.map((pace) => ({ accounts: load[pace], everyMs: LAP_EVERY_MS[pace] })))
    return { polling, blocks: 60_000 / slotTime.slotMs() + LISTINGS_PER_MINUTE }
  }
}
