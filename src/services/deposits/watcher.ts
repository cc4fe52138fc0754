// Deposit detection: reading balances is the truth, a push only says where to look first. A balance that what is known
// does not explain is read to its transactions.
import type { AccountState, Network } from '#core/chain/types.ts'
import { ZERO } from '#core/money/amounts.ts'
import type { BalanceReader, DepositKeys, TouchSource } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore, WatchedIntent } from '#ports/stores.ts'
import type { Directory } from '#services/directory.ts'
import { inParallel } from '#services/parallel.ts'
import type { ObserveDeposits, TouchedAccount } from './observe.ts'
import {
  accountsOf,
  balanceOf,
  createWatchList,
  SWEEP_EVERY_MS,
  TIERS,
  type Tier,
  tierOf,
  type Watch,
} from './watch-list.ts'

const PAGE = 1_000
const CONCURRENT_OBSERVATIONS = 8
const ACCOUNTS_A_CALL = 100

export type Watcher = {
  /** Loads everything that there is to watch. */
  reload(): Promise<void>
  /** Loads what is open once more, in case a notice was lost. */
  catchUp(): Promise<void>
  /** Intents that were created or changed. */
  refresh(intentIds: readonly string[]): Promise<void>
  /** Reads what was touched and every tier whose turn it is. */
  runOnce(): Promise<{ read: number; observed: number }>
  readonly size: number
  /** False until the first reload, and again after `forget`. */
  readonly loaded: boolean
  /** What explained these intents' balances no longer holds: they are looked at as if for the first time. */
  lookAgain(intentIds: readonly string[]): void
  /** Somebody else watches now. */
  forget(): void
}

export type WatcherDeps = {
  readonly network: Network
  readonly chain: BalanceReader
  readonly store: Pick<IntentWorkStore, 'watchList' | 'watched'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly touches: TouchSource | null
  readonly observe: ObserveDeposits
  readonly clock: Clock
  /** Most `getMultipleAccounts` calls a minute that regular sweeps may cost; more intents are swept less often. */
  readonly callsPerMinute: number
  readonly onTouch: () => void
  readonly onError: (error: unknown, intentId: string) => void
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const list = createWatchList(ZERO)
  const touched = new Set<string>()
  let loaded = false
  const sweptAt: Record<Tier, number> = { busy: 0, idle: 0, closing: 0, ended: 0, old: 0 }

  deps.touches?.onTouch((account) => {
    const watch = list.owner(account)
    if (watch === null) return
    touched.add(watch.intent.id)
    deps.onTouch()
  })

  const put = async (intents: readonly WatchedIntent[]): Promise<void> => {
    const tokens = await deps.directory.tokens(deps.network)
    const now = deps.clock.now()
    for (const intent of intents) {
      const known = list.get(intent.id)
      const accounts = known?.accounts ?? (await accountsOf(intent, deps.keys, tokens))
      list.put({ intent, tier: tierOf(intent, now), accounts })
    }
    deps.touches?.watch(list.busyAccounts())
  }

  const readPages = async (open: boolean): Promise<void> => {
    for (let afterIndex = 0; ; ) {
      const page = await deps.store.watchList(deps.network, { afterIndex, limit: PAGE, open })
      await put(page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      afterIndex = last.derivationIndex
    }
  }

  /** Reads the balances of these intents, and the history of those that are not explained. */
  const look = async (watches: readonly Watch[]): Promise<{ read: number; observed: number }> => {
    const accounts = watches.flatMap((watch) => watch.accounts.map(({ account }) => account))
    if (accounts.length === 0) return { read: 0, observed: 0 }
    const { states } = await deps.chain.readAccounts(accounts, 'confirmed')
    const strange = unexplained(watches, states)
    await inParallel(strange, CONCURRENT_OBSERVATIONS, ({ watch, news }) => examine(watch, news))
    return { read: accounts.length, observed: strange.length }
  }

  const examine = async (watch: Watch, news: readonly News[]): Promise<void> => {
    try {
      const { explained } = await deps.observe(watch.intent.id, news)
      // Not explained: its turn comes again with the next run, as if it had just been touched.
      if (!explained) touched.add(watch.intent.id)
      else for (const { position, balance } of news) watch.explained[position] = balance
    } catch (error) {
      touched.add(watch.intent.id)
      deps.onError(error, watch.intent.id)
    }
  }

  const isDue = (tier: Tier, now: number): boolean => {
    const calls = Math.ceil(
      list.members(tier).reduce((sum, { accounts }) => sum + accounts.length, 0) / ACCOUNTS_A_CALL,
    )
    const affordable = (calls / deps.callsPerMinute) * 60_000
    return now - sweptAt[tier] >= Math.max(SWEEP_EVERY_MS[tier], affordable)
  }

  /** Ended intents grow old where they stand: nothing changes in them that would be told. */
  const age = (now: Date): void => {
    for (const watch of [...list.members('closing'), ...list.members('ended')]) {
      const tier = tierOf(watch.intent, now)
      if (tier !== watch.tier) list.put({ ...watch, tier })
    }
  }

  return {
    async reload() {
      // Set first, so that news which arrives while pages are read is not passed over.
      loaded = true
      try {
        await readPages(true)
        await readPages(false)
      } catch (error) {
        loaded = false
        throw error
      }
    },
    catchUp: () => readPages(true),
    forget() {
      loaded = false
      list.clear()
      deps.touches?.watch(new Set())
    },
    async refresh(intentIds) {
      const intents = await deps.store.watched(intentIds)
      await put(intents.filter(({ network }) => network === deps.network))
    },
    lookAgain(intentIds) {
      for (const id of intentIds) {
        list.get(id)?.explained.fill(ZERO)
        touched.add(id)
      }
    },
    async runOnce() {
      const now = deps.clock.now().getTime()
      const due = TIERS.filter((tier) => isDue(tier, now))
      if (due.includes('closing') || due.includes('ended')) age(new Date(now))
      for (const tier of due) sweptAt[tier] = now
      const hinted = [...touched]
      touched.clear()
      const watches = new Set([...hinted.flatMap((id) => list.get(id) ?? []), ...due.flatMap(list.members)])
      try {
        return await look([...watches])
      } catch (error) {
        // Nothing was looked at: who was touched still is, and a tier's turn comes again as soon as a busy one's would.
        for (const id of hinted) touched.add(id)
        for (const tier of due) sweptAt[tier] = now - SWEEP_EVERY_MS[tier] + SWEEP_EVERY_MS.busy
        throw error
      }
    },
    get size() {
      return list.size
    },
    get loaded() {
      return loaded
    },
  }
}

type News = TouchedAccount & { readonly position: number }

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
