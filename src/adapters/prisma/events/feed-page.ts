// Pages of the feed of a marketplace.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { EVENT_HORIZON } from '#adapters/prisma/events/event-order.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { intentFromJson } from '#core/payments/codec.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import type { FeedEvent, FeedPosition } from '#ports/live.ts'

/** A payment has up to 60 entries in its lists, so a page is small. */
const PAGE = 20

export type FeedPage = {
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
export async function presentPosition({ query }: Pick<Database, 'query'>, at: Date): Promise<FeedPosition> {
  const [row] = await query<{ transaction: bigint }>(`SELECT ${EVENT_HORIZON} AS transaction`)
  if (row === undefined) throw new Error('a horizon has a row')
  return { transaction: row.transaction, sequence: 0n, at }
}
