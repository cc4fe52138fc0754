// Explains changed balances of an intent: reads from the chain's history what arrived, and takes it in.
import type { Asset, Network } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { isExplained } from '#core/payments/deposits/inbound.ts'
import { createTurns } from '#lib/parallel.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { StepBudget } from './polling/history-walk.ts'
import { type ChangedAccount, createHistoryMemory, readInbound } from './polling/inbound-reading.ts'
import { createTakeIn, type TakeInDeps } from './take-in.ts'

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
 * spent. Safe to repeat. Throws the failure to read a transaction after the deposits of the others are taken in.
 */
export type ObserveDeposits = (
  intentId: string,
  changed: readonly ChangedAccount[],
  budget?: StepBudget,
) => Promise<Observed>

type ObserverDeps = TakeInDeps & {
  readonly chainOf: (network: Network) => HistoryReader
  readonly clock: Clock
}

const NOTHING: Observed = { explained: true, unfinished: false, leaving: new Set() }

export function createDepositObserver(deps: ObserverDeps): ObserveDeposits {
  const memory = createHistoryMemory()
  const takeIn = createTakeIn(deps)
  // The watcher and the reconciler can see a payment at the same moment. Its history is read once.
  const turns = createTurns()

  const observe: ObserveDeposits = async (intentId, changed, budget = QUICK_CHECK) => {
    const facts = await deps.store.facts(intentId)
    if (facts === null) return NOTHING
    const { transactions, observed, unfinished, failures } = await readInbound(
      { ...deps, memory, budget },
      facts,
      changed,
    )
    if (transactions.length > 0) await takeIn(intentId, transactions)
    if (failures.length > 0) throw failures[0]
    const explained = !unfinished && changed.every((account) => isExplained(facts, observed, account))
    return { explained, unfinished, leaving: leavingOf(facts) }
  }

  return (intentId, changed, budget) =>
    turns(intentId, async () => {
      try {
        return await observe(intentId, changed, budget)
      } catch (error) {
        // Deposits that were found and not taken in are found again from the newest transaction on.
        for (const { account } of changed) memory.walkOf(account).restart()
        throw error
      } finally {
        memory.trim()
      }
    })
}

const leavingOf = ({ transfers }: IntentFacts): ReadonlySet<Asset> =>
  new Set(transfers.filter(({ status }) => status === 'in_progress').map(({ asset }) => asset))
