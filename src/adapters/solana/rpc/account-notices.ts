// Account and finality notices over websockets: as many connections as the accounts need, each to one provider at a time.
import { providerUrls } from '#adapters/solana/rpc/rpc-pool.ts'
import type { Address } from '#core/chain/types.ts'
import { msSince } from '#lib/time.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, NoticeCoverage } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import { NoticeFeed } from './notice-feed.ts'

export type NoticeSourceOptions = {
  readonly wsUrls: readonly string[]
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  /** The newest slot at which accounts were read lately; null when none was read. */
  readonly newestSlot: () => bigint | null
  readonly accountsPerConnection?: number
  readonly maxConnections?: number
  /** How often a connection is checked: one that is silent is ended. */
  readonly checkEveryMs?: number
}

/** Large providers end a connection, or refuse, between 1,450 and 4,500 subscriptions. */
const ACCOUNTS_PER_CONNECTION = 1_000
/** Large providers permit 150 connections or more, small plans 5. */
const MAX_CONNECTIONS = 50
const CHECK_EVERY_MS = 15_000
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000
/** A connection that has sent notices for this long was healthy: the waits between attempts begin again with the shortest. */
const HEALTHY_AFTER_MS = 10_000

type ConnectionOptions = NoticeSourceOptions & {
  readonly onAccount: (account: Address) => void
  readonly onTick: (slot: bigint) => void
}

/** One websocket after the other, with the same accounts: to the next provider whenever a connection ends. */
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
    const { wsUrls, clock, newestSlot, checkEveryMs = CHECK_EVERY_MS, onAccount, onTick } = this.#options
    const url = wsUrls[this.#provider] ?? ''
    this.#feed = new NoticeFeed({ url, clock, newestSlot, checkEveryMs }, this.accounts, {
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
    const { random, wsUrls } = this.#options
    this.#feed = null
    const lasted = this.#tickingFrom === null ? 0 : msSince(this.#tickingFrom, this.#now())
    this.#tickingFrom = null
    if (this.#isClosed) {
      this.#closed.resolve()
      return
    }
    this.#failures = lasted >= HEALTHY_AFTER_MS ? 1 : this.#failures + 1
    this.#provider = (this.#provider + 1) % wsUrls.length
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures - 1, 10))
    this.#retry = setTimeout(() => this.#connect(), wait * (0.5 + random.fraction() / 2))
    this.#retry.unref()
  }
}

export class NoticeSource implements AccountNotices, FinalityNotices {
  readonly #options: ConnectionOptions
  readonly #accountsPerConnection: number
  readonly #maxConnections: number
  readonly #listeners = new Set<(account: Address) => void>()
  #connections: readonly NoticeConnection[] = []
  readonly #connectionOf = new Map<Address, NoticeConnection>()
  #wanted: ReadonlySet<Address> = new Set()
  #onFinality: ((slot: bigint) => void) | null = null
  #isClosed = false

  /** Connects when notices are wanted. */
  constructor(options: NoticeSourceOptions) {
    this.#accountsPerConnection = options.accountsPerConnection ?? ACCOUNTS_PER_CONNECTION
    this.#maxConnections = options.maxConnections ?? MAX_CONNECTIONS
    this.#options = {
      ...options,
      wsUrls: providerUrls('websocket', options.wsUrls, ['wss:', 'ws:']),
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
    return {
      isTicking: this.#connections.some(({ isTicking }) => isTicking),
      wanted: this.#wanted.size,
      covered,
    }
  }

  get room(): number {
    return this.#accountsPerConnection * this.#maxConnections
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }

  /** Another connection is opened only while all others are well: a provider may refuse it, or more subscriptions. */
  get #canGrow(): boolean {
    return this.#connections.length < this.#maxConnections && this.#connections.every(({ isWell }) => isWell)
  }

  /** Gives the first accounts a connection, as far as there is room. */
  #assign(): void {
    if (this.#isClosed) return
    const connections = this.#connections.length + Number(this.#canGrow)
    const accounts = firstOf(this.#wanted, connections * this.#accountsPerConnection)
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
    return this.#connections.find(({ accounts }) => accounts.size < this.#accountsPerConnection) ?? this.#open()
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
