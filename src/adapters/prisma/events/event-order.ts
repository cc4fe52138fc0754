// The order of events for readers that may miss none: by the number of the database transaction that staged an event, and
// then by its sequence. docs/decisions/0037-events-in-order.md
import type { Database } from '#adapters/prisma/engine/engine.ts'

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
