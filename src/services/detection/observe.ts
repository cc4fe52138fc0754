// Takes in the deposits of an intent whose balances changed: reads from the chain what arrived, and has the intent
// machine decide what it means.
import type { Asset, Network } from '#core/chain/types.ts'
import { isExplained } from '#core/payments/deposits/inbound.ts'
import { divideArrivals } from '#core/payments/deposits/unaccepted.ts'
import type { IntentFacts } from '#core/payments/machine/change.ts'
import {
  decideDeposits,
  MAX_DEPOSITS_PER_CHANGE,
  newDeposits,
  type ObservedDeposit,
} from '#core/payments/machine/deposits.ts'
import { createTurns } from '#lib/turns.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import { arrivalSelection, type LockRate } from '#services/payments/select-token.ts'
import { createHistoryMemory, type HistoryMemory } from './polling/history-memory.ts'
import type { StepBudget } from './polling/history-walk.ts'
import { type ChangedAccount, type Reading, readInbound } from './polling/inbound-reading.ts'

/** The most that a check may cost for each account, in the job that detects payments for all intents. */
export const QUICK_CHECK: StepBudget = { pages: 2, transactions: 8, ms: 2_000 }

export type Observed = {
  /** False while the chain's history does not report where a balance came from: check again soon. */
  readonly explained: boolean
  /** Whether there is more history than the budget allowed to read: the next check continues where this check ended. */
  readonly unfinished: boolean
  /** Assets that a transfer under way takes away: the balance that is explained now may be gone at any time. */
  readonly leaving: ReadonlySet<Asset>
}

/**
 * Reads the history of an intent's changed accounts, except accounts that hold exactly what the books say, and takes in
 * every new deposit. Reads the newest transactions first and stops when they explain the balance, or when the budget is
 * spent. Safe to repeat.
 */
export type ObserveDeposits = (
  intentId: string,
  changed: readonly ChangedAccount[],
  budget?: StepBudget,
) => Promise<Observed>

type ObserverDeps = {
  readonly chainOf: (network: Network) => HistoryReader
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply' | 'recordUnaccepted'>
  readonly decisionContext: ReadDecisionContext
  readonly lockRate: LockRate
  readonly clock: Clock
}

export function createDepositObserver(deps: ObserverDeps): ObserveDeposits {
  const memory = createHistoryMemory()
  // The watcher and the reconciler can see a payment at the same moment. Its history is read once.
  const turns = createTurns()
  return (intentId, changed, budget = QUICK_CHECK) =>
    turns(intentId, async () => {
      try {
        return await new Observation({ ...deps, memory, budget }, intentId, changed).run()
      } catch (error) {
        // Deposits that were found and not taken in are found again from the newest transaction on.
        for (const { account } of changed) memory.walkOf(account).restart()
        throw error
      } finally {
        memory.trim()
      }
    })
}

type ObservationDeps = ObserverDeps & { readonly memory: HistoryMemory; readonly budget: StepBudget }

/** One observation of one intent. A decision that loses a race is made again, without reading the chain again. */
class Observation {
  readonly #deps: ObservationDeps
  readonly #intentId: string
  readonly #changed: readonly ChangedAccount[]
  #reading: Reading | null = null
  #result: Observed = { explained: true, unfinished: false, leaving: new Set() }
  #unaccepted: readonly ObservedDeposit[] = []
  #now = new Date(0)
  /** Whether one change could not take in every deposit. */
  #hasMore = false

  constructor(deps: ObservationDeps, intentId: string, changed: readonly ChangedAccount[]) {
    this.#deps = deps
    this.#intentId = intentId
    this.#changed = changed
  }

  async run(): Promise<Observed> {
    const { store } = this.#deps
    do await decideAndApply(store, this.#intentId, (facts) => this.#decide(facts))
    while (this.#hasMore)
    if (this.#unaccepted.length > 0) await store.recordUnaccepted(this.#intentId, this.#unaccepted, this.#now)
    return this.#result
  }

  async #decide(facts: IntentFacts) {
    this.#reading ??= await readInbound(this.#deps, facts, this.#changed)
    const { observed, others, unfinished } = this.#reading
    const context = await this.#deps.decisionContext(facts.intent.network)
    this.#now = context.now
    this.#unaccepted = divideArrivals([...observed, ...others], facts.intent, context.tokens).unaccepted
    const fresh = newDeposits(facts, observed, context)
    this.#hasMore = fresh.length > MAX_DEPOSITS_PER_CHANGE
    const explained = !unfinished && this.#changed.every((account) => isExplained(facts, observed, account))
    this.#result = { explained, unfinished, leaving: leavingOf(facts) }
    const selection = await arrivalSelection(this.#deps.lockRate, facts, fresh, context)
    return decideDeposits(facts, fresh, selection, context)
  }
}

const leavingOf = ({ transfers }: IntentFacts): ReadonlySet<Asset> =>
  new Set(transfers.filter(({ status }) => status === 'in_progress').map(({ asset }) => asset))
