// Pushes over websocket from whichever provider gives them. Only hints: what is missed here is found by polling.
import type { Address } from '#core/chain/types.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import { type NoticeFeed, openNoticeFeed } from './notice-feed.ts'
import { providerUrls } from './provider-urls.ts'

export type NoticeHealth = {
  readonly connected: boolean
  /** The place in the list, from 1, of the provider that is connected or being tried. */
  readonly provider: number
  /** How many accounts are asked for, and how many the provider has confirmed. */
  readonly watched: number
  readonly subscribed: number
  readonly reconnects: number
}

export type AccountNoticesOptions = {
  readonly wsUrls: readonly string[]
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  /** Accounts beyond this are left to polling; those that come first in the set are listened to. */
  readonly maxAccounts?: number
  /** How often a silent connection is asked whether it is still there. */
  readonly heartbeatMs?: number
}

const DEFAULT_MAX_ACCOUNTS = 1000
const DEFAULT_HEARTBEAT_MS = 15_000
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 30_000
/** A connection that lasted so long was well, and its end is a new story. */
const WELL_AFTER_MS = 10_000

export function createAccountNotices(
  options: AccountNoticesOptions,
): AccountNotices & FinalityNotices & { health(): NoticeHealth } {
  const { clock, random, maxAccounts = DEFAULT_MAX_ACCOUNTS } = options
  const wsUrls = providerUrls('websocket', options.wsUrls, ['wss:', 'ws:'])
  const listeners = new Set<(account: Address) => void>()
  let wanted: ReadonlySet<Address> = new Set()
  let finality: ((slot: bigint) => void) | null = null
  let feed: NoticeFeed | null = null
  let connectedAt: number | null = null
  let failures = 0
  let reconnects = 0
  let provider = 0
  let retry: NodeJS.Timeout | undefined
  let closed = false
  let allClosed: (() => void) | undefined

  const touched = (account: Address): void => {
    for (const listener of listeners) {
      try {
        listener(account)
      } catch {
        // A listener's trouble is its own; the other listeners and the connection go on.
      }
    }
  }

  const ended = (): void => {
    feed = null
    const lasted = connectedAt === null ? 0 : clock.now().getTime() - connectedAt
    connectedAt = null
    if (closed) {
      allClosed?.()
      return
    }
    failures = lasted >= WELL_AFTER_MS ? 1 : failures + 1
    provider = (provider + 1) % wsUrls.length
    reconnects += 1
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10))
    retry = setTimeout(connect, wait * (0.5 + random.fraction() / 2))
    retry.unref()
  }

  function connect(): void {
    const url = wsUrls[provider]
    if (closed || url === undefined) return
    const opened = (): void => {
      connectedAt = clock.now().getTime()
    }
    const final = (slot: bigint): void => finality?.(slot)
    feed = openNoticeFeed(url, { opened, touched, final, ended }, options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS)
    feed.listen(wanted)
    feed.follow(finality !== null)
  }
  connect()

  return {
    watch(accounts) {
      wanted = accounts.size <= maxAccounts ? accounts : new Set([...accounts].slice(0, maxAccounts))
      feed?.listen(wanted)
    },
    followFinality(listener) {
      finality = listener
      feed?.follow(listener !== null)
    },
    onNotice(listener) {
      listeners.add(listener)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      const open = feed
      if (open === null) return
      await new Promise<void>((resolve) => {
        allClosed = resolve
        open.close()
      })
    },
    health: () => ({
      connected: connectedAt !== null,
      provider: provider + 1,
      watched: wanted.size,
      subscribed: feed?.subscribed() ?? 0,
      reconnects,
    }),
  }
}
