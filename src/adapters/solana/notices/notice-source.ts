// Account and finality notices over websockets, or streams: as many connections as the accounts need, each to one provider at a time.
import { providerUrls } from '#adapters/solana/rpc/rpc-pool.ts'
import type { Address } from '#core/chain/types.ts'
import { msSince } from '#lib/time.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, NoticeCoverage } from '#ports/chain.ts'
import type { Random } from '#ports/random.ts'
import type { FeedOptions, NoticeFeed, OpenFeed } from './notice-feed.ts'
import { StreamFeed, type StreamOptions } from './stream-feed.ts'
import { WebsocketFeed } from './websocket-feed.ts'

type CommonOptions = Omit<FeedOptions, 'checkEveryMs'> & {
  readonly random: Pick<Random, 'fraction'>
  readonly checkEveryMs?: number
}

type Limits = { readonly accountsPerConnection: number; readonly maxConnections: number }

type NoticeSourceOptions = CommonOptions &
  Limits & {
    readonly via: NoticeCoverage['via']
    /** A connection to each provider: the next one is used when a connection has ended. */
    readonly providers: readonly OpenFeed[]
  }

export type WebsocketOptions = CommonOptions & Partial<Limits> & { readonly wsUrls: readonly string[] }

/** Large providers end a websocket, or refuse, between 1,450 and 4,500 subscriptions, and permit 150 websockets; small plans permit 5. */
export const createWebsocketNotices = ({
  wsUrls,
  accountsPerConnection = 1_000,
  maxConnections = 50,
  ...options
}: WebsocketOptions): NoticeSource =>
  new NoticeSource({
    ...options,
    via: 'websockets',
    accountsPerConnection,
    maxConnections,
    providers: providerUrls('websocket', wsUrls, ['wss:', 'ws:']).map(
      (url): OpenFeed =>
        (...args) =>
          new WebsocketFeed(url, ...args),
    ),
  })

/** A new account sends its whole filter again, 46 bytes an account. Providers take messages of 4 MB. */
export const createStreams = ({ openStream, onFault, ...options }: CommonOptions & StreamOptions): NoticeSource =>
  new NoticeSource({
    ...options,
    via: 'stream',
    accountsPerConnection: 20_000,
    maxConnections: 25,
    providers: [(...args) => new StreamFeed({ openStream, onFault }, ...args)],
  })

const CHECK_EVERY_MS = 15_000
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000
/** A connection that has sent notices for this long was healthy: the waits between attempts begin again with the shortest. */
const HEALTHY_AFTER_MS = 10_000

type ConnectionOptions = NoticeSourceOptions & {
  readonly onAccount: (account: Address) => void
  readonly onTick: (slot: bigint) => void
}

/** One connection after the other, with the same accounts: to the next provider whenever one ends. */
class NoticeConnection {
  readonly accounts = new Set<Address>()
  readonly #options: ConnectionOptions
  #feed: NoticeFeed | null = null
  /** When it ticked first. */
  #tickingFrom: number | null = null
  /** Connections in a row that did not become healthy. */
  #failures = 0
  #provider = 0
  #retry: NodeJS.Timeout | undefined
  readonly #closed = Promise.withResolvers<void>()
  #isClosed = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#connect()
  }

  add(account: Address): void {
    this.accounts.add(account)
    this.#feed?.subscribe(account)
  }

  delete(account: Address): void {
    this.accounts.delete(account)
    this.#feed?.unsubscribe(account)
  }

  coveredSince(account: Address): bigint | null {
    return this.#feed?.coveredSince(account) ?? null
  }

  /** Whether it ticks, and the provider refuses none of its accounts. */
  get isWell(): boolean {
    return this.#feed?.isTicking === true && !this.#feed.isRefused
  }

  get isTicking(): boolean {
    return this.#feed?.isTicking === true
  }

  get tickingForMs(): number {
    return this.isTicking && this.#tickingFrom !== null ? msSince(this.#tickingFrom, this.#now()) : 0
  }

  /** Resolves when the connection is closed. */
  close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    if (this.#feed === null) this.#closed.resolve()
    else this.#feed.close()
    return this.#closed.promise
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }

  #connect(): void {
    const { providers, clock, newestSlot, checkEveryMs = CHECK_EVERY_MS, onAccount, onTick } = this.#options
    const open = providers[this.#provider]
    if (open === undefined) return
    this.#feed = open({ clock, newestSlot, checkEveryMs }, this.accounts, {
      onAccount,
      onTick: (slot) => {
        this.#tickingFrom ??= this.#now()
        onTick(slot)
      },
      onEnd: () => this.#reconnect(),
    })
  }

  /** Connects to the next provider after a wait, which doubles with each connection that did not become healthy. */
  #reconnect(): void {
    const { random, providers } = this.#options
    this.#feed = null
    const lasted = this.#tickingFrom === null ? 0 : msSince(this.#tickingFrom, this.#now())
    this.#tickingFrom = null
    if (this.#isClosed) {
      this.#closed.resolve()
      return
    }
    this.#failures = lasted >= HEALTHY_AFTER_MS ? 1 : this.#failures + 1
    this.#provider = (this.#provider + 1) % providers.length
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures - 1, 10))
    this.#retry = setTimeout(() => this.#connect(), wait * (0.5 + random.fraction() / 2))
    this.#retry.unref()
  }
}

export class NoticeSource implements AccountNotices, FinalityNotices {
  readonly #options: ConnectionOptions
  readonly #listeners = new Set<(account: Address) => void>()
  #connections: readonly NoticeConnection[] = []
  readonly #connectionOf = new Map<Address, NoticeConnection>()
  #wanted: ReadonlySet<Address> = new Set()
  #onFinality: ((slot: bigint) => void) | null = null
  #isClosed = false

  /** Connects when notices are wanted. */
  constructor(options: NoticeSourceOptions) {
    this.#options = {
      ...options,
      onAccount: (account) => this.#notify(account),
      onTick: (slot) => {
        this.#onFinality?.(slot)
        if (this.#connectionOf.size < this.#wanted.size && this.#canGrow) this.#assign()
      },
    }
  }

  watch(accounts: ReadonlySet<Address>): void {
    this.#wanted = accounts
    this.#assign()
  }

  followFinality(listener: ((slot: bigint) => void) | null): void {
    this.#onFinality = listener
    this.#assign()
  }

  onNotice(listener: (account: Address) => void): void {
    this.#listeners.add(listener)
  }

  coveredSince(account: Address): bigint | null {
    return this.#connectionOf.get(account)?.coveredSince(account) ?? null
  }

  coverage(): NoticeCoverage {
    let covered = 0
    for (const account of this.#connectionOf.keys()) if (this.coveredSince(account) !== null) covered += 1
    return { via: this.#options.via, isTicking: this.isTicking, wanted: this.#wanted.size, covered }
  }

  get isTicking(): boolean {
    return this.#connections.some(({ isTicking }) => isTicking)
  }

  /** For how many milliseconds the steadiest connection has ticked; zero when none does. */
  get tickingForMs(): number {
    return Math.max(0, ...this.#connections.map(({ tickingForMs }) => tickingForMs))
  }

  get room(): number {
    return this.#options.accountsPerConnection * this.#options.maxConnections
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  /** Another connection is opened only while all others are well: a provider may refuse it, or more subscriptions. */
  get #canGrow(): boolean {
    return this.#connections.length < this.#options.maxConnections && this.#connections.every(({ isWell }) => isWell)
  }

  /** Gives the first accounts a connection, as far as there is room. */
  #assign(): void {
    if (this.#isClosed) return
    const connections = this.#connections.length + Number(this.#canGrow)
    const accounts = firstOf(this.#wanted, connections * this.#options.accountsPerConnection)
    for (const [account, connection] of this.#connectionOf) {
      if (accounts.has(account)) continue
      connection.delete(account)
      this.#connectionOf.delete(account)
    }
    for (const account of accounts) {
      if (this.#connectionOf.has(account)) continue
      const connection = this.#connectionWithRoom()
      this.#connectionOf.set(account, connection)
      connection.add(account)
    }
    this.#closeUnused()
  }

  #connectionWithRoom(): NoticeConnection {
    return this.#connections.find(({ accounts }) => accounts.size < this.#options.accountsPerConnection) ?? this.#open()
  }

  #open(): NoticeConnection {
    const connection = new NoticeConnection(this.#options)
    this.#connections = [...this.#connections, connection]
    return connection
  }

  /** Closes connections without accounts, but for one that is needed to follow finality. */
  #closeUnused(): void {
    const used = this.#connections.filter(({ accounts }) => accounts.size > 0)
    if (used.length === 0 && this.#onFinality !== null) used.push(this.#connections[0] ?? this.#open())
    for (const connection of this.#connections) if (!used.includes(connection)) void connection.close()
    this.#connections = used
  }

  #notify(account: Address): void {
    for (const listener of this.#listeners) {
      try {
        listener(account)
      } catch {
        // A failing listener must not end the connection, or keep the notice from the other listeners.
      }
    }
  }
}

/** Returns the first members of a set. */
const firstOf = <T>(set: ReadonlySet<T>, count: number): ReadonlySet<T> =>
  set.size <= count ? set : new Set([...set].slice(0, count))
