// The feed of a marketplace from the outbox: every event of its sellers' payments, for any number of followers.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { INTENT_CHANGED, INTENTS_CREATED } from '#adapters/prisma/engine/notices.ts'
import { nullWhenUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { RETENTION_MS } from '#core/events/delivery.ts'
import { intentFromJson } from '#core/payments/payment-intent.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import type { Clock } from '#ports/clock.ts'
import type { FeedEvent, FeedPosition, MarketplaceFeed } from '#ports/live.ts'
import { EVENT_HORIZON } from './event-log.ts'
import { createSharedReadings, createWakeup, type SharedReadings } from './follower.ts'

// Pages of the feed of a marketplace.

/** A payment has up to 60 entries in its lists, so a page is small. */
const PAGE = 20

type FeedPage = {
  readonly events: readonly FeedEvent[]
  /** The next page follows at once. */
  readonly isMore: boolean
  /** Events wait for a transaction that began before them. No notice says when it ends. */
  readonly isPending: boolean
}

type Row = {
  readonly id: string
  readonly type: string
  readonly transaction: bigint
  readonly sequence: bigint
  readonly created_at: Date
  /** Null while the event is not complete. */
  readonly data: unknown
}

// The events of a seller's payment have another owner than receiver. The conditions for the owner and for the kind are those of
// the index.
const FEED_PAGE = `
WITH horizon AS MATERIALIZED (SELECT ${EVENT_HORIZON} AS transaction)
SELECT id::text, type, database_transaction AS transaction, sequence, created_at,
  CASE WHEN database_transaction < horizon.transaction THEN data END AS data
FROM events, horizon
WHERE receiver_account_id = $1::uuid AND account_id <> receiver_account_id AND network = $2::network_name
  AND subject_kind = '${PAYMENT_SUBJECT}' AND (database_transaction, sequence) > ($3::bigint, $4::bigint)
ORDER BY database_transaction, sequence LIMIT ${PAGE}`

/** Returns the events after a position whose place in the order is certain. */
export async function readFeedPage(
  { query }: Pick<Database, 'query'>,
  { accountId, network }: Tenant,
  { transaction, sequence }: FeedPosition,
): Promise<FeedPage> {
  const rows = await query<Row>(FEED_PAGE, [accountId, network, transaction, sequence])
  const events = rows.filter(({ data }) => data !== null).map(eventFromRow)
  return { events, isMore: events.length === PAGE, isPending: events.length < rows.length }
}

const eventFromRow = ({ id, type, transaction, sequence, created_at, data }: Row): FeedEvent => ({
  position: { transaction, sequence, at: created_at },
  id,
  type,
  createdAt: created_at,
  payment: intentFromJson(data),
})

/** Returns the position before every event that is not certainly visible, and after all others. */
async function presentPosition({ query }: Pick<Database, 'query'>, at: Date): Promise<FeedPosition> {
  const [row] = await query<{ transaction: bigint }>(`SELECT ${EVENT_HORIZON} AS transaction`)
  if (row === undefined) throw new Error('a horizon has a row')
  return { transaction: row.transaction, sequence: 0n, at }
}

/** A day less than events are kept: their times and the order of the feed can differ a little. */
const REACH_MS = RETENTION_MS - 24 * 60 * 60 * 1_000

/** In milliseconds. A notice can be lost, so a follower reads from time to time without one. */
export type FeedPauses = { readonly idle: number; readonly pending: number }
const PAUSES: FeedPauses = { idle: 5_000, pending: 100 }

/** More changes than this are not looked up: every follower reads instead. */
const MOST_LOOKED_UP = 1_000

const OWNERS = `
SELECT DISTINCT caller_account_id::text AS id FROM payment_intents
WHERE id = ANY ($1::uuid[]) AND account_id <> caller_account_id AND caller_account_id = ANY ($2::uuid[])`

export type MarketplaceFeedAdapter = MarketplaceFeed & { close(): Promise<void> }

export async function createMarketplaceFeed(
  db: Database,
  clock: Clock,
  pauses: FeedPauses = PAUSES,
): Promise<MarketplaceFeedAdapter> {
  const feed = new Feed(db, pauses)
  const changed = (ids: string) => feed.changed(ids.split(','))
  // Notices are lost with a connection.
  const anyChanged = () => feed.wakeAll()
  const stop = [
    await db.listen(INTENT_CHANGED, changed, anyChanged),
    await db.listen(INTENTS_CREATED, changed, anyChanged),
  ]
  return {
    present: () => presentPosition(db, clock.now()),
    reaches: ({ at }) => clock.now().getTime() - at.getTime() < REACH_MS,
    follow: (marketplace, after, signal) => feed.follow(marketplace, after, signal),
    close: async () => void (await Promise.all(stop.map((unlisten) => unlisten()))),
  }
}

class Feed {
  readonly #db: Database
  readonly #pauses: FeedPauses
  /** What wakes the followers, by marketplace. */
  readonly #followers = new Map<string, Set<() => void>>()
  readonly #readings: SharedReadings<Place, FeedPage>
  /** Payments that changed, whose marketplace is not known yet. */
  readonly #changed = new Set<string>()
  #isLookingUp = false

  constructor(db: Database, pauses: FeedPauses) {
    this.#db = db
    this.#pauses = pauses
    this.#readings = createSharedReadings(
      ({ after }) => `${after.transaction} ${after.sequence}`,
      (_accountId, { marketplace, after }) => readFeedPage(db, marketplace, after),
    )
  }

  async *follow(marketplace: Tenant, start: FeedPosition, signal: AbortSignal): AsyncGenerator<FeedEvent, void> {
    const wakeup = createWakeup(signal)
    const leave = this.#join(marketplace.accountId, wakeup.notify)
    try {
      let after = start
      wakeup.notify()
      let pause = this.#pauses.idle
      while (await wakeup.wait(pause)) {
        const page = await nullWhenUnavailable(this.#readings.after(marketplace.accountId, { marketplace, after }))
        if (page?.isMore) wakeup.notify()
        pause = page?.isPending ? this.#pauses.pending : this.#pauses.idle
        for (const event of page?.events ?? []) {
          after = event.position
          yield event
        }
      }
    } finally {
      leave()
    }
  }

  /** Wakes the followers of the marketplaces that the payments belong to. */
  changed(intentIds: readonly string[]): void {
    if (this.#followers.size === 0) return
    for (const id of intentIds) this.#changed.add(id)
    if (!this.#isLookingUp) void this.#lookUp()
  }

  wakeAll(): void {
    for (const accountId of this.#followers.keys()) this.#wake(accountId)
  }

  #join(accountId: string, notify: () => void): () => void {
    const followers = this.#followers.get(accountId) ?? new Set()
    this.#followers.set(accountId, followers.add(notify))
    return () => {
      followers.delete(notify)
      if (followers.size === 0) this.#followers.delete(accountId)
    }
  }

  #wake(accountId: string): void {
    this.#readings.forget(accountId)
    for (const notify of this.#followers.get(accountId) ?? []) notify()
  }

  /** One statement at a time; changes in the meantime share the next one. */
  async #lookUp(): Promise<void> {
    this.#isLookingUp = true
    try {
      while (this.#changed.size > 0) await this.#wakeOwners([...this.#changed])
    } catch {
      // Followers find the changes in their next reading without a notice.
      this.#changed.clear()
    } finally {
      this.#isLookingUp = false
    }
  }

  async #wakeOwners(intentIds: readonly string[]): Promise<void> {
    this.#changed.clear()
    if (intentIds.length > MOST_LOOKED_UP) return this.wakeAll()
    const owners = await this.#db.query<{ id: string }>(OWNERS, [intentIds, [...this.#followers.keys()]])
    for (const { id } of owners) this.#wake(id)
  }
}

type Place = { readonly marketplace: Tenant; readonly after: FeedPosition }
