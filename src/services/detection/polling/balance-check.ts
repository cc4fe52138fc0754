// One look at watched addresses: reading balances, and the history of those that what is known does not explain.
import type { AccountState } from '#core/chain/types.ts'
import { forEachParallel } from '#lib/parallel.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { ChangedAccount, ObserveDeposits } from '#services/detection/observe.ts'
import type { StepBudget } from './history-walk.ts'
import { balanceOf, type Watch } from './watch-list.ts'

const CONCURRENT_OBSERVATIONS = 8

export type BalanceCheckDeps = {
  readonly chain: BalanceReader
  readonly observe: ObserveDeposits
  readonly onError: (error: unknown, intentId: string) => void
}

export type Checked = {
  readonly read: number
  readonly observed: number
  /** Intents whose balances nothing explains yet. */
  readonly again: readonly string[]
  /** Intents that have more history than the budget allowed to read. */
  readonly unfinished: readonly string[]
}

export type Look = (watches: readonly Watch[], budget: StepBudget) => Promise<Checked>

type News = ChangedAccount & { readonly position: number }

type Examined = 'explained' | 'unexplained' | 'unfinished'

export function createBalanceCheck(deps: BalanceCheckDeps): Look {
  const examine = async (watch: Watch, news: readonly News[], budget: StepBudget): Promise<Examined> => {
    try {
      const { explained, unfinished, leaving } = await deps.observe(watch.intent.id, news, budget)
      if (unfinished) return 'unfinished'
      if (!explained) return 'unexplained'
      // What is about to leave explains a balance for now; the same balance later may be somebody's next payment.
      const lasting = news.filter(({ asset }) => !leaving.has(asset))
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
    const strange = unexplained(watches, states)
    const found: Record<Examined, Set<string>> = { explained: new Set(), unexplained: new Set(), unfinished: new Set() }
    await forEachParallel(strange, CONCURRENT_OBSERVATIONS, async ({ watch, news }) => {
      found[await examine(watch, news, budget)].add(watch.intent.id)
    })
    const unfinished = [...found.unfinished]
    const again = [...found.unexplained].filter((id) => !found.unfinished.has(id))
    return { read: accounts.length, observed: strange.length, again, unfinished }
  }
}

function unexplained(
  watches: readonly Watch[],
  states: readonly (AccountState | null)[],
): readonly { readonly watch: Watch; readonly news: readonly News[] }[] {
  const strange: { watch: Watch; news: News[] }[] = []
  let at = 0
  for (const watch of watches) {
    const news: News[] = []
    for (const [position, { account, asset }] of watch.accounts.entries()) {
      const balance = balanceOf(states[at] ?? null, asset)
      at += 1
      // What went to zero left by our own hand; an equal balance has been explained before.
      if (balance === watch.explained[position]) continue
      if (balance === 0n) watch.explained[position] = balance
      else news.push({ account, asset, balance, position })
    }
    if (news.length > 0) strange.push({ watch, news })
  }
  return strange
}
