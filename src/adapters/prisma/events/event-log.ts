// The event log of a business, in the order of the feed of a marketplace. docs/decisions/events.md
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { CHARGE } from '#core/billing/charge-transfer.ts'
import { SUBSCRIPTION_SUBJECT } from '#core/billing/subscription.ts'
import type { Network } from '#core/chain/types.ts'
import type { EventPosition, LoggedEvent, LogPage } from '#core/events/envelope.ts'
import { INTENT_UPDATED } from '#core/payments/change.ts'
import type { EventLog } from '#ports/events.ts'
import type { NewEvents } from './follower.ts'

// The order of events for readers that may miss none: by the number of the database transaction that staged an event, and
// then by its sequence. docs/decisions/events.md

/** The setting that has what this database adds to its transaction numbers. */
const OFFSET_KEY = 'event_transaction_offset'

const OFFSET = `coalesce((SELECT (value #>> '{}')::bigint FROM settings WHERE key = '${OFFSET_KEY}'), 0)`

/** SQL: every transaction with a lower number has ended, so its events are visible or will never be. */
export const EVENT_HORIZON = `(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ${OFFSET})`

// Transactions end in another order than their events are numbered, so the newest events have not only the newest numbers.
const NEWEST = `
SELECT coalesce(max(database_transaction), 0) AS last, pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ${OFFSET} AS next
FROM (SELECT database_transaction FROM events ORDER BY sequence DESC LIMIT 10000) newest`

type Newest = { readonly last: bigint; readonly next: bigint }

/**
 * Keeps the order in a database that was restored from a dump: its server counts transactions from the beginning, and new
 * events would come before old ones. Raises the numbers of new events above all stored ones. To be called at the start.
 */
export async function continueEventOrder({ session }: Pick<Database, 'session'>): Promise<void> {
  await session(async ({ query, script }) => {
    const [newest] = await query<Newest>(NEWEST)
    if (newest === undefined || newest.last < newest.next) return
    // Another instance may do the same: the second one finds that nothing is left to do.
    await script(RAISE)
  })
}

const RAISE = `
DO $$
DECLARE
  newest record;
  raised bigint;
BEGIN
  LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
  SELECT * INTO newest FROM (${NEWEST}) found;
  IF newest.last >= newest.next THEN
    raised := ${OFFSET} + newest.last - newest.next + 1;
    INSERT INTO settings (key, value, updated_at) VALUES ('${OFFSET_KEY}', to_jsonb(raised), now())
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;
    EXECUTE format('ALTER TABLE events ALTER COLUMN database_transaction SET DEFAULT '
      || '((pg_current_xact_id())::text)::bigint + %s', raised);
  END IF;
END $$`

export function createEventLog(db: Pick<Database, 'query'>): EventLog {
  return {
    async read({ accountId, network }, { after, before, type, from, to, sellerId, subscriptionId, order, limit }) {
      const [first, last] = [after ?? START, before ?? END]
      const place = [first.transaction, first.sequence, last.transaction, last.sequence]
      const given = [accountId, network, ...place, limit, from, to]
      const whose = sellerId === null ? '' : ofSeller(given.push(sellerId))
      const what = type === null ? '' : ofType(given.push(type))
      const which = subscriptionId === null ? '' : ofSubscription(given.push(subscriptionId))
      return (await db.query<Row>(pageIn(order, whose + what + which), given)).map(eventFromRow)
    },
    async find({ accountId, network }, id) {
      const [row] = await db.query<Row>(ONE, [accountId, network, id])
      return row === undefined ? null : eventFromRow(row)
    },
  }
}

/** Every event is between them. */
const START: EventPosition = { transaction: 0n, sequence: 0n }
const END: EventPosition = { transaction: 2n ** 63n - 1n, sequence: 0n }

const COLUMNS = `event.id::text, event.type, event.subject_kind, event.network, event.version, event.created_at, event.data,
  event.database_transaction AS transaction, event.sequence, subject.id::text AS subject_id, subject.name AS subject_name,
  subject.marketplace_account_id IS NOT NULL AS is_seller, subject.external_id`

/** The condition on the type is that of the indexes of the log. */
const OF_LOG = `receiver_account_id = $1::uuid AND network = $2::network_name AND type <> '${INTENT_UPDATED}'`

// The conditions that an index is for are in a statement only where they are asked for.
const ofSeller = (parameter: number) => ` AND account_id <> receiver_account_id AND account_id = $${parameter}::uuid`
const ofType = (parameter: number) => ` AND type = $${parameter}::text`
const ofSubscription = (
  parameter: number,
) => ` AND subject_kind IN ('${SUBSCRIPTION_SUBJECT}', '${CHARGE}') AND subject_id IN (
  SELECT $${parameter}::uuid UNION ALL SELECT id FROM charges WHERE subscription_id = $${parameter}::uuid)`

// The page is read by its index before it is joined.
const pageIn = (order: LogPage['order'], conditions: string) => `
SELECT ${COLUMNS}
FROM (
  SELECT * FROM events
  WHERE ${OF_LOG}${conditions}
    AND database_transaction < (SELECT ${EVENT_HORIZON})
    AND (database_transaction, sequence) > ($3::bigint, $4::bigint)
    AND (database_transaction, sequence) < ($5::bigint, $6::bigint)
    AND created_at >= coalesce($8::timestamptz, '-infinity') AND created_at < coalesce($9::timestamptz, 'infinity')
  ORDER BY database_transaction ${order}, sequence ${order} LIMIT $7::int
) event
JOIN accounts subject ON subject.id = event.account_id
ORDER BY event.database_transaction ${order}, event.sequence ${order}`

// The oldest events after a place, whether or not their place is certain. $3 and $4 the place, $5 how many.
const AFTER = `
WITH horizon AS MATERIALIZED (SELECT ${EVENT_HORIZON} AS transaction)
SELECT ${COLUMNS}, event.database_transaction < horizon.transaction AS is_certain
FROM (
  SELECT * FROM events WHERE ${OF_LOG} AND (database_transaction, sequence) > ($3::bigint, $4::bigint)
  ORDER BY database_transaction, sequence LIMIT $5::int
) event
CROSS JOIN horizon
JOIN accounts subject ON subject.id = event.account_id
ORDER BY event.database_transaction, event.sequence`

/** Returns the oldest events after a place, up to the first whose place in the order is not certain. */
export async function readAfter(
  { query }: Pick<Database, 'query'>,
  { accountId, network }: Tenant,
  { transaction, sequence }: EventPosition,
  limit: number,
): Promise<NewEvents<LoggedEvent>> {
  const rows = await query<Row & { is_certain: boolean }>(AFTER, [accountId, network, transaction, sequence, limit])
  const certain = rows.filter(({ is_certain }) => is_certain)
  return {
    events: certain.map(eventFromRow),
    isMore: certain.length === limit,
    isPending: certain.length < rows.length,
  }
}

/** Returns the place before every event that is not certainly visible, and after all others. */
export async function presentPlace({ query }: Pick<Database, 'query'>): Promise<EventPosition> {
  const [row] = await query<{ transaction: bigint }>(`SELECT ${EVENT_HORIZON} AS transaction`)
  if (row === undefined) throw new Error('a horizon has a row')
  return { transaction: row.transaction, sequence: 0n }
}

const ONE = `
SELECT ${COLUMNS}
FROM (SELECT * FROM events WHERE id = $3::uuid AND ${OF_LOG}) event
JOIN accounts subject ON subject.id = event.account_id`

type Row = {
  readonly id: string
  readonly type: string
  readonly subject_kind: string
  readonly network: Network
  readonly version: number
  readonly created_at: Date
  readonly data: unknown
  readonly transaction: bigint
  readonly sequence: bigint
  readonly subject_id: string
  readonly subject_name: string
  readonly is_seller: boolean
  readonly external_id: string | null
}

const eventFromRow = (row: Row): LoggedEvent => ({
  position: { transaction: row.transaction, sequence: row.sequence },
  id: row.id,
  type: row.type,
  subjectKind: row.subject_kind,
  network: row.network,
  version: row.version,
  createdAt: row.created_at,
  data: row.data,
  account: { id: row.subject_id, name: row.subject_name, isSeller: row.is_seller, externalId: row.external_id },
})
