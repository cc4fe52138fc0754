// Deposit detection: reading balances is the truth, a push only says where to look first. A balance that what is known
// does not explain is read to its transactions.
import type { Network } from '#core/chain/types.ts'
import { ZERO } from '#core/money/amounts.ts'
import type { AccountNotices, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore, WatchedIntent } from '#ports/stores.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { QUICK_LOOK } from '#services/detection/observe.ts'
import { type BalanceCheckDeps, type Checked, createBalanceCheck } from './balance-check.ts'
import type { StepBudget } from './history-walk.ts'
import {
  accountsOf,
  createWatchList,
  expectedAccountsOf,
  otherAccountsOf,
  SWEEP_EVERY_MS,
  seldomTierOf,
  TIERS,
  type Tier,
  tierOf,
  type Watch,
} from './watch-list.ts'

const PAGE = 1_000
/** Where intents are that have not ended for long, as far as is known. */
const LIVELY: readonly Tier[] = ['busy', 'idle', 'closing']
const ACCOUNTS_A_CALL = 100
/** What is not explained yet rests for a slot: a balance is told a moment before the transaction that made it is listed. */
const REST_MS = 400
/** After so many looks that explained nothing, each rest is twice as long as the one before, up to the longest. */
const SHORT_RESTS = 8
const LONGEST_REST_MS = 10_000
/** What a look at an intent in the backlog costs at most for each account. */
const BACKLOG_LOOK: StepBudget = { pages: 4, transactions: 16, ms: 5_000 }
/** Intents of the backlog that are looked at in one round. */
const BACKLOG_AT_ONCE = 2
/** Providers listen to about so many accounts. */
const MOST_PUSHED = 500

/** What is swept regularly: everything, open intents, or nothing, with pushes alone telling of the busiest. */
export type WatchScope = 'all' | 'open' | 'pushes'

export type Watcher = {
  /** Loads everything that there is to watch. */
  reload(scope?: WatchScope): Promise<void>
  /** Loads what is open once more, and what was open when it was last heard of, in case a notice was lost. */
  catchUp(): Promise<void>
  /** Intents that were created or changed. */
  refresh(intentIds: readonly string[]): Promise<void>
  /** Reads what was touched and every tier whose turn it is. */
  runOnce(): Promise<{ read: number; observed: number }>
  readonly size: number
  /** False until the first reload, and again after `forget`. */
  readonly loaded: boolean
  /**
   * Looks at the first intents of the backlog: those whose history is longer than a quick look may read. The jobs that
   * detect payments for all intents leave them out and never wait for them.
   */
  readBacklog(): Promise<{ read: number; observed: number }>
  /** Every tier's turn comes with the next run. */
  sweepAll(): void
  /** Intents whose balances nothing explains, of all that were read; null until everything was read since `sweepAll`. */
  readonly unsettled: ReadonlySet<string> | null
  /** Reads these, watched or not. Answers with those whose balances nothing explains yet: to be looked at again. */
  checkOnce(intentIds: readonly string[]): Promise<readonly string[]>
  /** Reads these, watched or not, as far as a look at the backlog may. */
  lookLong(intentIds: readonly string[]): Promise<Pick<Checked, 'again' | 'unfinished'>>
  /** What explained these intents' balances no longer holds: they are looked at as if for the first time. */
  checkAgain(intentIds: readonly string[]): void
  /** Somebody else watches now. */
  forget(): void
}

export type WatcherDeps = BalanceCheckDeps & {
  readonly network: Network
  readonly store: Pick<IntentWorkStore, 'watchList' | 'watched' | 'busiest'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly touches: AccountNotices | null
  readonly clock: Clock
  /** Most `getMultipleAccounts` calls a minute that regular sweeps may cost; more intents are swept less often. */
  readonly callsPerMinute: number
  readonly onNotice: () => void
}

export function createWatcher(deps: WatcherDeps): Watcher {
  const list = createWatchList(ZERO)
  /** The same intents, and where a wrong asset may arrive; none where blocks are read, which show every asset. */
  const seldom = createWatchList(ZERO)
  const look = createBalanceCheck(deps)
  const touched = new Set<string>()
  let loaded = false
  let scope: WatchScope = 'all'
  let sweptSince = false
  /** What the reading of everything found, and nothing explains yet. */
  const unsettled = new Set<string>()
  const restUntil = new Map<string, number>()
  /** How many looks in a row explained nothing. */
  const fruitless = new Map<string, number>()
  /** Intents with a long history, in the order in which they are looked at. */
  const backlog = new Set<string>()
  const sweptAt: Record<Tier, number> = { busy: 0, idle: 0, closing: 0, ended: 0, old: 0 }

  deps.touches?.onNotice((account) => {
    const watch = list.owner(account)
    if (watch === null) return
    touched.add(watch.intent.id)
    deps.onNotice()
  })

  const members = (tier: Tier): readonly Watch[] => [...list.members(tier), ...seldom.members(tier)]
  const watchesOf = (id: string): readonly Watch[] => [list.get(id) ?? [], seldom.get(id) ?? []].flat()

  const place = async (intent: WatchedIntent, tier: Tier, tokens: Awaited<ReturnType<Directory['tokens']>>) => {
    const expected = list.get(intent.id)?.accounts ?? (await expectedAccountsOf(intent, deps.keys, tokens))
    list.put({ intent, tier, accounts: expected })
    if (scope === 'pushes') return
    const others = seldom.get(intent.id)?.accounts ?? (await otherAccountsOf(intent, deps.keys, tokens))
    if (others.length > 0) seldom.put({ intent, tier: seldomTierOf(tier), accounts: others })
  }

  const put = async (intents: readonly WatchedIntent[]): Promise<void> => {
    const tokens = await deps.directory.tokens(deps.network)
    const now = deps.clock.now()
    for (const intent of intents) {
      const tier = tierOf(intent, now)
      const hasPlace = list.get(intent.id) !== null || list.size < MOST_PUSHED
      if (scope === 'pushes' && (tier !== 'busy' || !hasPlace)) list.remove(intent.id)
      else await place(intent, tier, tokens)
    }
    deps.touches?.watch(list.busyAccounts())
  }

  const readThese = async (intentIds: readonly string[]): Promise<void> => {
    const intents = await deps.store.watched(intentIds)
    await put(intents.filter(({ network }) => network === deps.network))
  }

  const readPages = async (open: boolean, onRead: (page: readonly WatchedIntent[]) => void = () => {}) => {
    for (let afterIndex = 0; ; ) {
      const page = await deps.store.watchList(deps.network, { afterIndex, limit: PAGE, open })
      await put(page)
      onRead(page)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      afterIndex = last.derivationIndex
    }
  }

  /** What is open, and whoever was thought to be so and is not among them: it has ended, and no notice told of it. */
  const readOpen = async (): Promise<void> => {
    const unread = new Set(LIVELY.flatMap(list.members).map(({ intent }) => intent.id))
    await readPages(true, (page) => {
      for (const { id } of page) unread.delete(id)
    })
    const ids = [...unread]
    for (let from = 0; from < ids.length; from += PAGE) await readThese(ids.slice(from, from + PAGE))
  }

  /** Those who are among the busiest no more make room for those who are. */
  const readBusiest = async (): Promise<void> => {
    const listed = list.members('busy')
    const busiest = await deps.store.busiest(deps.network, MOST_PUSHED)
    const stay = new Set(busiest.map(({ id }) => id))
    for (const { intent } of listed) if (!stay.has(intent.id)) list.remove(intent.id)
    await put(busiest)
  }

  const callsOf = (tier: Tier): number =>
    Math.ceil(members(tier).reduce((sum, { accounts }) => sum + accounts.length, 0) / ACCOUNTS_A_CALL)

  /** How much longer than wanted each tier waits for its turn, so that all of them together keep to the budget. */
  const stretch = (): number => {
    const wanted = TIERS.reduce((sum, tier) => sum + callsOf(tier) * (60_000 / SWEEP_EVERY_MS[tier]), 0)
    return Math.max(1, wanted / deps.callsPerMinute)
  }

  const tiersDue = (now: number): readonly Tier[] => {
    const longer = stretch()
    return TIERS.filter((tier) => now - sweptAt[tier] >= SWEEP_EVERY_MS[tier] * longer)
  }

  /** Ended intents grow old where they stand: nothing changes in them that would be told. */
  const age = async (now: Date): Promise<void> => {
    const tokens = await deps.directory.tokens(deps.network)
    for (const { intent, tier: before } of [...list.members('closing'), ...list.members('ended')]) {
      const tier = tierOf(intent, now)
      if (tier !== before) await place(intent, tier, tokens)
    }
  }

  const rest = (id: string, now: number): void => {
    const looks = (fruitless.get(id) ?? 0) + 1
    fruitless.set(id, looks)
    restUntil.set(id, now + Math.min(REST_MS * 2 ** Math.max(0, looks - SHORT_RESTS), LONGEST_REST_MS))
  }

  /** Files what was looked at: explained, to be looked at again soon, or in the backlog, at its end. */
  const file = (ids: Iterable<string>, { again, unfinished }: Checked, now: number): void => {
    const unexplained = new Set(again)
    for (const id of ids) {
      unsettled.delete(id)
      backlog.delete(id)
      if (!unexplained.has(id)) fruitless.delete(id)
    }
    for (const id of unexplained) {
      // Its turn comes again as if it had just been touched.
      touched.add(id)
      rest(id, now)
    }
    for (const id of unfinished) backlog.add(id)
    for (const id of [...again, ...unfinished]) unsettled.add(id)
  }
  const idsOf = (watches: Iterable<Watch>) => new Set([...watches].map(({ intent }) => intent.id))

  const lookAt = async (intentIds: readonly string[], budget: StepBudget): Promise<Checked> => {
    const tokens = await deps.directory.tokens(deps.network)
    const watches: Watch[] = []
    for (const intent of await deps.store.watched(intentIds)) {
      const accounts = await accountsOf(intent, deps.keys, tokens)
      watches.push({ intent, tier: 'busy', accounts, explained: accounts.map(() => ZERO) })
    }
    return await look(watches, budget)
  }

  return {
    async reload(asked = 'all') {
      // Set first, so that news which arrives while pages are read is not passed over.
      loaded = true
      scope = asked
      try {
        if (scope === 'pushes') await readBusiest()
        else await readPages(true)
        if (scope === 'all') await readPages(false)
      } catch (error) {
        loaded = false
        throw error
      }
    },
    catchUp: () => (scope === 'pushes' ? readBusiest() : readOpen()),
    forget() {
      loaded = false
      list.clear()
      seldom.clear()
      backlog.clear()
      fruitless.clear()
      deps.touches?.watch(new Set())
    },
    refresh: readThese,
    sweepAll() {
      for (const tier of TIERS) sweptAt[tier] = 0
      sweptSince = false
      unsettled.clear()
    },
    get unsettled() {
      return sweptSince ? unsettled : null
    },
    async checkOnce(intentIds) {
      const { again, unfinished } = await lookAt(intentIds, QUICK_LOOK)
      return [...again, ...unfinished]
    },
    lookLong: (intentIds) => lookAt(intentIds, BACKLOG_LOOK),
    checkAgain(intentIds) {
      for (const id of intentIds) {
        for (const { explained } of watchesOf(id)) explained.fill(ZERO)
        touched.add(id)
      }
    },
    async runOnce() {
      const now = deps.clock.now().getTime()
      const due = scope === 'pushes' ? [] : tiersDue(now)
      if (due.includes('closing') || due.includes('ended')) await age(new Date(now))
      for (const tier of due) sweptAt[tier] = now
      for (const [id, until] of restUntil) if (until <= now) restUntil.delete(id)
      const waits = (id: string): boolean => restUntil.has(id) || backlog.has(id)
      const hinted = [...touched].filter((id) => !waits(id))
      for (const id of hinted) touched.delete(id)
      const all = [...hinted.flatMap(watchesOf), ...due.flatMap(members)]
      const watches = new Set(all.filter(({ intent }) => !waits(intent.id)))
      try {
        const looked = await look([...watches], QUICK_LOOK)
        file(idsOf(watches), looked, now)
        sweptSince ||= due.length === TIERS.length
        return { read: looked.read, observed: looked.observed }
      } catch (error) {
        // Nothing was looked at: who was touched still is, and a tier's turn comes again as soon as a busy one's would.
        for (const id of hinted) touched.add(id)
        for (const tier of due) sweptAt[tier] = now - SWEEP_EVERY_MS[tier] + SWEEP_EVERY_MS.busy
        throw error
      }
    },
    async readBacklog() {
      const ids = [...backlog].slice(0, BACKLOG_AT_ONCE)
      try {
        const looked = await look(ids.flatMap(watchesOf), BACKLOG_LOOK)
        file(ids, looked, deps.clock.now().getTime())
        return { read: looked.read, observed: looked.observed }
      } catch (error) {
        // The others come first now: the same intents at the front would keep them waiting.
        for (const id of ids) if (backlog.delete(id)) backlog.add(id)
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
