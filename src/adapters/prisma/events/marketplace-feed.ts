// The feed of a marketplace from the outbox: every event of its sellers' payments, for any number of followers.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { RETENTION_MS } from '#core/events/delivery.ts'
import type { EventPosition } from '#core/events/envelope.ts'
import { intentFromJson } from '#core/payments/payment-intent.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import type { Clock } from '#ports/clock.ts'
import type { FeedEvent, MarketplaceFeed } from '#ports/live.ts'
import { EVENT_HORIZON, presentPlace } from './event-log.ts'
import { createLogFollower, type LogPauses, type NewEvents } from './follower.ts'

/** A payment has up to 60 entries in its lists, so a page is small. */
const PAGE = 20

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
  { transaction, sequence }: EventPosition,
): Promise<NewEvents<FeedEvent>> {
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

/** A day less than events are kept: their times and the order of the feed can differ a little. */
const REACH_MS = RETENTION_MS - 24 * 60 * 60 * 1_000

export type MarketplaceFeedAdapter = MarketplaceFeed & { close(): Promise<void> }

export async function createMarketplaceFeed(
  db: Pick<Database, 'query' | 'listen'>,
  clock: Clock,
  pauses?: LogPauses,
): Promise<MarketplaceFeedAdapter> {
  const follower = await createLogFollower(db, (marketplace, after) => readFeedPage(db, marketplace, after), pauses)
  return {
    present: async () => ({ ...(await presentPlace(db)), at: clock.now() }),
    reaches: ({ at }) => clock.now().getTime() - at.getTime() < REACH_MS,
    ...follower,
  }
}
