// Account and finality notices over a websocket, from one provider at a time. Notices are hints: polling finds every
// payment whose notice is missed.
import { providerUrls } from '#adapters/solana/rpc/rpc-pool.ts'
import type { Address } from '#core/chain/types.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import { NoticeFeed } from './notice-feed.ts'

export type NoticeHealth = {
  readonly connected: boolean
  /** The place in the list, from 1, of the provider that is connected or being tried. */
  readonly provider: number
  /** How many accounts are watched, and how many subscriptions the provider has confirmed. */
  readonly watched: number
  readonly subscribed: number
  readonly reconnects: number
}

export type NoticeSourceOptions = {
  readonly wsUrls: readonly string[]
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  /** The most accounts to subscribe to, the first of the set. The others are left to polling. */
  readonly maxAccounts?: number
  /** How often a silent connection is pinged. */
  readonly heartbeatMs?: number
}

const DEFAULT_MAX_ACCOUNTS = 1000
const DEFAULT_HEARTBEAT_MS = 15_000
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 30_000
/** A connection that lasted this long was healthy: the waits between attempts begin again with the shortest. */
const HEALTHY_AFTER_MS = 10_000

export class NoticeSource implements AccountNotices, FinalityNotices {
  readonly #options: NoticeSourceOptions
  readonly #wsUrls: readonly string[]
  readonly #listeners = new Set<(account: Address) => void>()
  #wanted: ReadonlySet<Address> = new Set()
  #onFinality: ((slot: bigint) => void) | null = null
  #feed: NoticeFeed | null = null
  #connectedAt: number | null = null
  /** Connections in a row that did not become healthy. */
  #failures = 0
  #reconnects = 0
  #provider = 0
  #retry: NodeJS.Timeout | undefined
  #closed = false
  #onClosed: (() => void) | undefined

  /** Connects at once, and reconnects to the next provider whenever a connection ends. */
  constructor(options: NoticeSourceOptions) {
    this.#options = options
    this.#wsUrls = providerUrls('websocket', options.wsUrls, ['wss:', 'ws:'])
    this.#connect()
  }

  watch(accounts: ReadonlySet<Address>): void {
    const { maxAccounts = DEFAULT_MAX_ACCOUNTS } = this.#options
    this.#wanted = accounts.size <= maxAccounts ? accounts : new Set([...accounts].slice(0, maxAccounts))
    this.#feed?.subscribe(this.#wanted)
  }

  followFinality(listener: ((slot: bigint) => void) | null): void {
    this.#onFinality = listener
    this.#feed?.followFinality(listener !== null)
  }

  onNotice(listener: (account: Address) => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    const open = this.#feed
    if (open === null) return
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve
      open.close()
    })
  }

  health(): NoticeHealth {
    return {
      connected: this.#connectedAt !== null,
      provider: this.#provider + 1,
      watched: this.#wanted.size,
      subscribed: this.#feed?.subscribed() ?? 0,
      reconnects: this.#reconnects,
    }
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }

  #connect(): void {
    const url = this.#wsUrls[this.#provider]
    if (this.#closed || url === undefined) return
    const handlers = {
      onOpen: () => {
        this.#connectedAt = this.#now()
      },
      onAccount: (account: Address) => this.#notify(account),
      onFinalSlot: (slot: bigint) => this.#onFinality?.(slot),
      onEnd: () => this.#reconnect(),
    }
    this.#feed = new NoticeFeed(url, handlers, this.#options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS)
    this.#feed.subscribe(this.#wanted)
    this.#feed.followFinality(this.#onFinality !== null)
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

  /** Connects to the next provider after a wait, which doubles with each connection that did not become healthy. */
  #reconnect(): void {
    this.#feed = null
    const lasted = this.#connectedAt === null ? 0 : this.#now() - this.#connectedAt
    this.#connectedAt = null
    if (this.#closed) {
      this.#onClosed?.()
      return
    }
    this.#failures = lasted >= HEALTHY_AFTER_MS ? 1 : this.#failures + 1
    this.#provider = (this.#provider + 1) % this.#wsUrls.length
    this.#reconnects += 1
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures - 1, 10))
    this.#retry = setTimeout(() => this.#connect(), wait * (0.5 + this.#options.random.fraction() / 2))
    this.#retry.unref()
  }
}
