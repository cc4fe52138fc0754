// The log of webhook deliveries, and of the events before them: listed, sent again, and pruned.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { DELIVERIES_DUE } from '#adapters/prisma/engine/notices.ts'
import { GIVEN_EVENTS, STAGE_FOR_ENDPOINTS, type StagedEvent } from '#adapters/prisma/events/outbox.ts'
import type { Delivery, DeliveryStatus } from '#core/events/delivery.ts'
import { ACCOUNT_EVENTS, WEBHOOK_TEST } from '#core/events/subjects.ts'
import { INTENT_UPDATED } from '#core/payments/change.ts'
import type { DeliveryLogStore } from '#ports/events.ts'

export function createDeliveryLog(db: Pick<Database, 'query'>): DeliveryLogStore {
  return {
    async list({ accountId, status, limit }) {
      const listed = status ?? 'any'
      const rows =
        accountId === null
          ? await db.query<DeliveryRow>(newest(CONDITIONS[listed]), [limit])
          : await db.query<DeliveryRow>(newestOfAccount(listed), [limit, accountId])
      return rows.map(deliveryFromRow)
    },

    async stageTest({ accountId, endpointId, network, at }) {
      const subject = { kind: ACCOUNT_EVENTS.kind, id: accountId }
      const event: StagedEvent = {
        network,
        accountId,
        receiverAccountId: accountId,
        type: WEBHOOK_TEST,
        subject,
        version: 1,
        data: {},
        at,
      }
      return (await db.query<DeliveryRow>(STAGE_TEST, [JSON.stringify([event]), endpointId])).map(deliveryFromRow)
    },

    async rearm(id, now) {
      const [row] = await db.query<DeliveryRow>(REARM, [id, now])
      return row === undefined ? null : deliveryFromRow(row)
    },

    async rearmOf({ accountId }, id, now) {
      const [row] = await db.query<DeliveryRow & { isDisabled: boolean }>(REARM_OF, [id, now, accountId])
      return row === undefined ? null : { ...deliveryFromRow(row), isDisabled: row.isDisabled }
    },

    async rearmAll({ accountId }, { endpointId, statuses, since, until }, { now, limit }) {
      const given = [accountId, endpointId, statuses, since, until, now, limit]
      const [row] = await db.query<{ count: number }>(REARM_ALL, given)
      return row?.count ?? 0
    },

    async prune({ before, limit }) {
      return (await db.query(PRUNE, [before, limit])).length
    },

    async pruneEvents({ before, after, limit }) {
      const [row] = await db.query<{ deleted: bigint; next: bigint | null }>(PRUNE_EVENTS, [before, after, limit])
      return { deleted: Number(row?.deleted ?? 0), next: row?.next ?? null }
    },
  }
}

/** `sequence` is what a list is sorted by. */
type DeliveryRow = Delivery & { readonly sequence?: bigint; readonly notified?: string }

const deliveryFromRow = ({ sequence, notified, ...delivery }: DeliveryRow): Delivery => delivery

const COLUMNS = `delivery.id, delivery.event_id AS "eventId", delivery.type, delivery.account_id AS "accountId",
  delivery.endpoint_id AS "endpointId", endpoint.url, delivery.status, delivery.attempts,
  delivery.next_attempt_at AS "nextAttemptAt", delivery.last_status_code AS "lastStatusCode",
  delivery.last_error AS "lastError", delivery.created_at AS "createdAt"`

const LISTED = `SELECT ${COLUMNS}, event.sequence
FROM webhook_deliveries delivery
JOIN events event ON event.id = delivery.event_id
JOIN webhook_endpoints endpoint ON endpoint.id = delivery.endpoint_id`

// A status is a literal: by a parameter, PostgreSQL would not find the indexes of its deliveries. Pending deliveries are in two.
const CONDITIONS: Readonly<Record<DeliveryStatus | 'any', string>> = {
  any: 'true',
  pending: "delivery.status = 'pending' AND (delivery.waits_for_id IS NULL OR delivery.waits_for_id IS NOT NULL)",
  succeeded: "delivery.status = 'succeeded'",
  failed: "delivery.status = 'failed'",
}

const newest = (condition: string): string => `
${LISTED} WHERE ${condition}
ORDER BY delivery.created_at DESC, event.sequence DESC LIMIT $1::int`

/** Few deliveries are pending or failed, so those of an account are found by their status, and all others by its events. */
const newestOfAccount = (status: DeliveryStatus | 'any'): string =>
  status === 'pending' || status === 'failed'
    ? newest(`${CONDITIONS[status]} AND (endpoint.account_id = $2::uuid OR event.account_id = $2::uuid)`)
    : newestByEvents(CONDITIONS[status])

// The events that an account receives, and the events of a seller, are each read in the order of an index. The conditions
// for the type and the receiver are those of the indexes.
const newestByEvents = (condition: string): string => `
SELECT * FROM (
  (${LISTED} WHERE event.receiver_account_id = $2::uuid AND event.type <> '${INTENT_UPDATED}' AND ${condition}
   ORDER BY event.database_transaction DESC, event.sequence DESC LIMIT $1::int)
  UNION ALL
  (${LISTED} WHERE event.account_id = $2::uuid AND event.account_id <> event.receiver_account_id
     AND event.type <> '${INTENT_UPDATED}' AND ${condition}
   ORDER BY event.database_transaction DESC, event.sequence DESC LIMIT $1::int)
) delivery ORDER BY "createdAt" DESC, sequence DESC LIMIT $1::int`

const STAGE_TEST = `
WITH ${GIVEN_EVENTS}, ${STAGE_FOR_ENDPOINTS}
SELECT queued.id, queued.event_id AS "eventId", staged.type, endpoint.account_id AS "accountId", endpoint.id AS "endpointId",
  endpoint.url, 'pending' AS status, 0 AS attempts, staged.created_at AS "nextAttemptAt", NULL AS "lastStatusCode",
  NULL AS "lastError", staged.created_at AS "createdAt",
  pg_notify('${DELIVERIES_DUE}', '')::text AS notified
FROM queued
JOIN staged ON staged.id = queued.event_id
JOIN webhook_endpoints endpoint ON endpoint.id = queued.endpoint_id
ORDER BY endpoint.url`

// A delivery in flight keeps its lease: its request is the requested delivery.
const REARM = `
WITH delivery AS (
  UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = $2, finished_at = NULL
  WHERE id = $1 RETURNING *
)
SELECT ${COLUMNS}, pg_notify('${DELIVERIES_DUE}', '')::text AS notified
FROM delivery
JOIN webhook_endpoints endpoint ON endpoint.id = delivery.endpoint_id`

// A delivery to a disabled endpoint is found and not changed.
const REARM_OF = `
WITH found AS MATERIALIZED (
  SELECT delivery.id, endpoint.disabled_at IS NOT NULL AS is_disabled
  FROM webhook_deliveries delivery JOIN webhook_endpoints endpoint ON endpoint.id = delivery.endpoint_id
  WHERE delivery.id = $1 AND delivery.account_id = $3::uuid
), rearmed AS (
  UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = $2, finished_at = NULL
  WHERE id = (SELECT id FROM found WHERE NOT is_disabled) RETURNING *
), delivery AS (
  SELECT * FROM rearmed
  UNION ALL SELECT * FROM webhook_deliveries WHERE id = (SELECT id FROM found WHERE is_disabled)
)
SELECT ${COLUMNS}, found.is_disabled AS "isDisabled", pg_notify('${DELIVERIES_DUE}', '')::text AS notified
FROM delivery JOIN found USING (id)
JOIN webhook_endpoints endpoint ON endpoint.id = delivery.endpoint_id`

// $1 the account, $2 the endpoint, $3 the statuses, $4 and $5 the times of the events, $6 now, $7 how many.
const REARM_ALL = `
WITH rearmed AS (
  UPDATE webhook_deliveries SET status = 'pending', next_attempt_at = $6, finished_at = NULL
  WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries
    WHERE account_id = $1::uuid AND endpoint_id = $2::uuid AND status = ANY ($3::delivery_status[])
      AND created_at >= $4 AND ($5::timestamptz IS NULL OR created_at < $5::timestamptz)
    ORDER BY created_at, id LIMIT $7::int FOR UPDATE SKIP LOCKED))
  RETURNING 1
)
SELECT count(*)::int AS count, pg_notify('${DELIVERIES_DUE}', '')::text AS notified FROM rearmed`

// The rows are chosen in an ARRAY(…), once, and not in an IN (…), which may be run again for each row, past its limit.
const PRUNE = `
DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
  SELECT id FROM webhook_deliveries WHERE created_at < $1 AND finished_at < $1
  ORDER BY created_at LIMIT $2::int FOR UPDATE SKIP LOCKED))
RETURNING id`

// Reads the log in order, by its unique index: a batch reads this many rows, whether or not it may delete them. $1
// before, $2 the sequence after which it begins, $3 how many.
const PRUNE_EVENTS = `
WITH oldest AS (
  SELECT id, sequence, created_at < $1 AS is_old FROM events WHERE sequence > $2 ORDER BY sequence LIMIT $3::int
), deleted AS (
  DELETE FROM events WHERE id = ANY (ARRAY(
    SELECT id FROM oldest WHERE is_old
      AND NOT EXISTS (SELECT FROM webhook_deliveries delivery WHERE delivery.event_id = oldest.id)))
  RETURNING 1
)
SELECT (SELECT count(*) FROM deleted) AS deleted,
  CASE WHEN count(*) = $3::int AND bool_and(is_old) THEN max(sequence) END AS next
FROM oldest`
