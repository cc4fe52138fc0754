// One check of watched balances: reads the balances of many accounts, and the history of each account whose balance the
// known deposits do not explain.
import type { AccountState } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import type { StepBudget } from './history-walk.ts'
import type { ChangedAccount } from './inbound-reading.ts'
import { balanceOf, type Watch } from './watch-list.ts'

const CONCURRENT_OBSERVATIONS = 8

export type BalanceCheckDeps = {
  readonly chain: BalanceReader
  readonly observe: ObserveDeposits
  readonly onError: (error: unknown, intentId: string) => void
}

export type Checked = {
  /** Accounts that were read. */
  readonly read: number
  /** Watches with a balance that was not explained before. */
  readonly observed: number
  /** Intents whose balances nothing explains yet. */
  readonly again: readonly string[]
  /** Intents that have more history than the budget allowed to read. */
  readonly unfinished: readonly string[]
}

export type CheckBalances = (watches: readonly Watch[], budget: StepBudget) => Promise<Checked>

/** A changed balance and its position in the accounts of its watch. */
type ChangedBalance = ChangedAccount & { readonly position: number }

type Outcome = 'explained' | 'unexplained' | 'unfinished'

export function createBalanceCheck(deps: BalanceCheckDeps): CheckBalances {
  const explain = async (watch: Watch, changed: readonly ChangedBalance[], budget: StepBudget): Promise<Outcome> => {
    try {
      const { explained, unfinished, leaving } = await deps.observe(watch.intent.id, changed, budget)
      if (unfinished) return 'unfinished'
      if (!explained) return 'unexplained'
      // A transfer under way explains its balance only for now: the same balance later can be a new payment.
      const lasting = changed.filter(({ asset }) => !leaving.has(asset))
      for (const { position, balance } of lasting) watch.explained[position] = balance
      return 'explained'
    } catch (error) {
      deps.onError(error, watch.intent.id)
      return 'unexplained'
    }
  }

  return async (watches, budget) => {
    const accounts = watches.flatMap((watch) => watch.accounts.map(({ account }) => account))
    if (accounts.length === 0) return { read: 0, observed: 0, again: [], unfinished: [] }
    const { states } = await deps.chain.readAccounts(accounts, 'confirmed')
    const unexplained = findUnexplained(watches, states)
    const found: Record<Outcome, Set<string>> = { explained: new Set(), unexplained: new Set(), unfinished: new Set() }
    await forEachParallel(unexplained, CONCURRENT_OBSERVATIONS, async ({ watch, changed }) => {
      found[await explain(watch, changed, budget)].add(watch.intent.id)
    })
    const unfinished = [...found.unfinished]
    const again = [...found.unexplained].filter((id) => !found.unfinished.has(id))
    return { read: accounts.length, observed: unexplained.length, again, unfinished }
  }
}

/** Returns the balances that are not explained, by watch. `states` are in the order of the accounts of all watches. */
function findUnexplained(
  watches: readonly Watch[],
  states: readonly (AccountState | null)[],
): readonly { readonly watch: Watch; readonly changed: readonly ChangedBalance[] }[] {
  const unexplained: { watch: Watch; changed: ChangedBalance[] }[] = []
  let at = 0
  for (const watch of watches) {
    const changed: ChangedBalance[] = []
    for (const [position, { account, asset }] of watch.accounts.entries()) {
      const balance = balanceOf(states[at] ?? null, asset)
      at += 1
      if (balance === watch.explained[position]) continue
      // An empty account was emptied by the service itself.
      if (balance === 0n) watch.explained[position] = balance
      else changed.push({ account, asset, balance, position })
    }
    if (changed.length > 0) unexplained.push({ watch, changed })
  }
  return unexplained
}
