// The intents that are watched on one network: loads them from the database and keeps each in its pace.
import type { Address, Network } from '#core/chain/types.ts'
import { ZERO } from '#core/money/amounts.ts'
import { forEachPage } from '#lib/pages.ts'
import { msSince } from '#lib/time.ts'
import { inGroups } from '#lib/values.ts'
import type { AccountNotices, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore, WatchedIntent } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import {
  accountsOf,
  expectedAccountsOf,
  NOTICED,
  otherAccountsOf,
  PACES,
  type Pace,
  type Paced,
  paceOf,
  seldomPaceOf,
  type Watch,
  WatchList,
} from './watch-list.ts'

const PAGE = 1_000
/** The paces of intents that are open or ended a short time ago, as far as is known. */
const RECENT: readonly Pace[] = ['busy', 'idle', 'closing']
const SUBSCRIBE_EVERY_MS = 1_000

/** The intents whose accounts are read: all, open ones, or none, while blocks report every payment. */
export type WatchScope = 'all' | 'open' | 'none'

export type WatchedIntentsDeps = {
  readonly network: Network
  readonly store: Pick<IntentWorkStore, 'watchList' | 'watched'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly notices: AccountNotices | null
  readonly clock: Clock
}

type Tokens = Awaited<ReturnType<Directory['tokens']>>

export class WatchedIntents {
  readonly #deps: WatchedIntentsDeps
  readonly #expected = new WatchList()
  /** The accounts of tokens that the intents do not accept. */
  readonly #others = new WatchList()
  #scope: WatchScope = 'all'
  /** The allowlist by which the accounts of ended intents were chosen. */
  #allowlistOfEnded = ''
  /** Whether an intent was placed since the last subscription. */
  #isChanged = false
  #subscribedAt = 0

  constructor(deps: WatchedIntentsDeps) {
    this.#deps = deps
  }

  /** Loads every intent of the scope. */
  async load(scope: WatchScope): Promise<void> {
    this.#scope = scope
    if (scope !== 'none') await this.#loadPages(true)
    if (scope === 'all') await this.#loadEnded()
  }

  /**
   * Loads open intents again. Reads intents again that were open when last read, and are not any more. Loads ended intents
   * again when the allowlist has changed.
   */
  async catchUp(): Promise<void> {
    if (this.#scope === 'none') return
    await this.#loadOpen()
    const allowlist = allowlistOf(await this.#deps.directory.tokens(this.#deps.network))
    if (this.#scope === 'all' && this.#allowlistOfEnded !== allowlist) await this.#loadEnded()
  }

  /** Reads intents that were created or changed. */
  async refresh(intentIds: readonly string[]): Promise<void> {
    const intents = await this.#deps.store.watched(intentIds)
    await this.#put(intents.filter(({ network }) => network === this.#deps.network))
  }

  /** Moves intents to the pace of their age. No notice reports that time has passed. */
  async age(now: Date): Promise<void> {
    const tokens = await this.#deps.directory.tokens(this.#deps.network)
    for (const { intent, pace: before } of [...this.#expected.members('closing'), ...this.#expected.members('ended')]) {
      const pace = paceOf(intent, now)
      if (pace !== before) await this.#place(intent, pace, tokens)
    }
  }

  /** Returns watches of intents, watched or not, with no balance explained. */
  async unexplainedWatches(intentIds: readonly string[]): Promise<readonly Watch[]> {
    const tokens = await this.#deps.directory.tokens(this.#deps.network)
    const watches: Watch[] = []
    for (const intent of await this.#deps.store.watched(intentIds)) {
      const accounts = await accountsOf(intent, this.#deps.keys, tokens)
      watches.push({ intent, pace: 'busy', accounts, explained: accounts.map(() => ZERO), readAtSlot: -1n })
    }
    return watches
  }

  /**
   * Returns the watches where payments are expected, and where other tokens may arrive: `noticed` have no change since they
   * were read that no notice reports, `polled` are the others.
   */
  byNotices(): { readonly polled: Paced; readonly noticed: Paced } {
    const [polled, noticed] = [emptyPaces(), emptyPaces()]
    for (const pace of PACES)
      for (const watch of this.#members(pace)) (this.#isNoticed(watch) ? noticed : polled)[pace].push(watch)
    return { polled, noticed }
  }

  /**
   * Subscribes to the accounts that are read more often than hourly, the most urgent and newest first. At most once a second,
   * because many intents change in a second.
   */
  subscribe(now: number): void {
    const { notices } = this.#deps
    if (notices === null || !this.#isChanged || msSince(this.#subscribedAt, now) < SUBSCRIBE_EVERY_MS) return
    this.#isChanged = false
    this.#subscribedAt = now
    const accounts = new Set<Address>()
    for (const pace of NOTICED)
      for (const watch of this.#members(pace).toReversed())
        for (const { account } of watch.accounts) if (accounts.size < notices.room) accounts.add(account)
    notices.watch(accounts)
  }

  /** Returns what a watch is now: the intent may have changed, or moved to another pace. Null when it is not watched. */
  current({ intent, accounts }: Watch): Watch | null {
    // Only where payments are expected is the address itself among the accounts.
    const isExpected = accounts.some(({ account }) => account === intent.address)
    return (isExpected ? this.#expected : this.#others).get(intent.id)
  }

  /** Returns the watches of one intent. */
  watchesOf(intentId: string): readonly Watch[] {
    return [this.#expected.get(intentId) ?? [], this.#others.get(intentId) ?? []].flat()
  }

  /** Returns the watch that expects payments at an account. */
  owner(account: Address): Watch | null {
    return this.#expected.owner(account)
  }

  clear(): void {
    this.#expected.clear()
    this.#others.clear()
    this.#deps.notices?.watch(new Set())
  }

  get size(): number {
    return this.#expected.size
  }

  #members(pace: Pace): readonly Watch[] {
    return [...this.#expected.members(pace), ...this.#others.members(pace)]
  }

  #isNoticed({ pace, accounts, readAtSlot }: Watch): boolean {
    const { notices } = this.#deps
    if (notices === null || pace === 'old') return false
    return accounts.every(({ account }) => {
      const since = notices.coveredSince(account)
      return since !== null && since <= readAtSlot
    })
  }

  async #put(intents: readonly WatchedIntent[]): Promise<void> {
    const tokens = await this.#deps.directory.tokens(this.#deps.network)
    const now = this.#deps.clock.now()
    for (const intent of intents) await this.#place(intent, paceOf(intent, now), tokens)
  }

  async #place(intent: WatchedIntent, pace: Pace, tokens: Tokens): Promise<void> {
    const { keys } = this.#deps
    this.#isChanged = true
    const expected = await expectedAccountsOf(intent, keys, tokens, this.#expected.get(intent.id)?.accounts)
    this.#expected.put({ intent, pace, accounts: expected })
    const others = await otherAccountsOf(intent, keys, tokens, this.#others.get(intent.id)?.accounts)
    if (others.length > 0) this.#others.put({ intent, pace: seldomPaceOf(pace), accounts: others })
    else this.#others.remove(intent.id)
  }

  #loadPages(open: boolean, onRead: (page: readonly WatchedIntent[]) => void = () => {}): Promise<void> {
    const { network, store } = this.#deps
    return forEachPage(
      PAGE,
      (afterIndex) => store.watchList(network, { afterIndex, limit: PAGE, open }),
      ({ derivationIndex }) => derivationIndex,
      async (page) => {
        await this.#put(page)
        onRead(page)
      },
    )
  }

  /**
   * Loads open intents. An intent that was open and is not listed has ended, and its notice was lost: it is read again.
   */
  async #loadOpen(): Promise<void> {
    const unread = new Set(RECENT.flatMap((pace) => this.#expected.members(pace)).map(({ intent }) => intent.id))
    await this.#loadPages(true, (page) => {
      for (const { id } of page) unread.delete(id)
    })
    for (const ids of inGroups([...unread], PAGE)) await this.refresh(ids)
  }

  /** Loads intents that have ended, with their accounts of the tokens that are allowed now. */
  async #loadEnded(): Promise<void> {
    const allowlist = allowlistOf(await this.#deps.directory.tokens(this.#deps.network))
    await this.#loadPages(false)
    this.#allowlistOfEnded = allowlist
  }
}

const emptyPaces = (): Record<Pace, Watch[]> => ({ busy: [], idle: [], closing: [], ended: [], old: [] })

const allowlistOf = (tokens: Tokens): string =>
  [...tokens.values()].map(({ asset, enabled }) => `${asset} ${enabled}`).join()
