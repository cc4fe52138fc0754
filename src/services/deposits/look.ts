// One look at watched addresses: reading balances, and the history of those that what is known does not explain.
import type { AccountState } from '#core/chain/types.ts'
import type { BalanceReader } from '#ports/chain.ts'
import { inParallel } from '#services/parallel.ts'
import type { ObserveDeposits, TouchedAccount } from './observe.ts'
import { balanceOf, type Watch } from './watch-list.ts'

const CONCURRENT_OBSERVATIONS = 8

export type LookDeps = {
  readonly chain: BalanceReader
  readonly observe: ObserveDeposits
  readonly onError: (error: unknown, intentId: string) => void
}

/** `again`: intents whose balances nothing explains yet. */
export type Looked = { readonly read: number; readonly observed: number; readonly again: readonly string[] }

type News = TouchedAccount & { readonly position: number }

export function createLook(deps: LookDeps): (watches: readonly Watch[]) => Promise<Looked> {
  const examine = async (watch: Watch, news: readonly News[]): Promise<boolean> => {
    try {
      const { explained, leaving } = await deps.observe(watch.intent.id, news)
      if (!explained) return false
      // What is about to leave explains a balance for now; the same balance later may be somebody's next payment.
      const lasting = news.filter(({ asset }) => !leaving.has(asset))
      for (const { position, balance } of lasting) watch.explained[position] = balance
      return true
    } catch (error) {
      deps.onError(error, watch.intent.id)
      return false
    }
  }

  return async (watches) => {
    const accounts = watches.flatMap((watch) => watch.accounts.map(({ account }) => account))
    if (accounts.length === 0) return { read: 0, observed: 0, again: [] }
    const { states } = await deps.chain.readAccounts(accounts, 'confirmed')
    const strange = unexplained(watches, states)
    const again: string[] = []
    await inParallel(strange, CONCURRENT_OBSERVATIONS, async ({ watch, news }) => {
      if (!(await examine(watch, news))) again.push(watch.intent.id)
    })
    return { read: accounts.length, observed: strange.length, again }
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
