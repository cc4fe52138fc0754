// Webhook deliveries that are due: their queues, and the outcomes of attempts.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { UNFLUSHED } from '#adapters/prisma/sql.ts'
import type { Network } from '#core/chain/types.ts'
import { type DeliveryOutcome, KEPT_ATTEMPTS, type LeasedDelivery } from '#core/events/delivery.ts'
import type { DeliveryStore } from '#ports/events.ts'

// Endpoints with a delivery in a queue, found by hopping from one endpoint to the next in the index: a long backlog of
// one endpoint costs no more than a single delivery of another.
const QUEUED = "status = 'pending' AND waits_for_id IS NULL"
const WAITING = `
RECURSIVE hop AS (
  (SELECT endpoint_id FROM webhook_deliveries WHERE ${QUEUED} ORDER BY endpoint_id LIMIT 1)
  UNION ALL
  SELECT (SELECT endpoint_id FROM webhook_deliveries
          WHERE ${QUEUED} AND endpoint_id > hop.endpoint_id ORDER BY endpoint_id LIMIT 1)
  FROM hop WHERE hop.endpoint_id IS NOT NULL
), waiting AS (SELECT endpoint_id FROM hop WHERE endpoint_id IS NOT NULL AND endpoint_id <> ALL ($8::uuid[]))`

// True when the worker with the lease of a row is dead: its last heartbeat is too old.
const isAbandoned = (row: string) => `coalesce(${row}.claimed_by = ANY ((SELECT ids FROM dead)::uuid[]), false)`
const isFree = (row: string) => `(${row}.lease_until IS NULL OR ${row}.lease_until <= $1 OR ${isAbandoned(row)})`

/**
 * Returns the statement that selects the first deliveries of one queue of each endpoint; `turn` begins at the number that the
 * queue has in flight.
 */
const headOf = (queue: 'first' | 'later') => `
  SELECT waiting.endpoint_id, due.id, due.next_attempt_at, due.sequence,
    coalesce(busy.first + busy.later, 0) AS in_flight,
    coalesce(busy.${queue}, 0) + row_number()
      OVER (PARTITION BY waiting.endpoint_id ORDER BY due.next_attempt_at, due.sequence) AS turn
  FROM waiting LEFT JOIN busy USING (endpoint_id)
  CROSS JOIN LATERAL (
    SELECT id, next_attempt_at, sequence FROM webhook_deliveries delivery
    WHERE endpoint_id = waiting.endpoint_id AND ${QUEUED} AND least(attempts, 1) = ${queue === 'first' ? 0 : 1}
      AND next_attempt_at <= $1 AND ${isFree('delivery')}
    ORDER BY next_attempt_at, sequence
    LIMIT $4::int
  ) due`

// Claims and outcomes do not wait for the disk. When a power cut loses one of them, the webhook is sent again under its
// id, as after a crash between sending and recording.
//
// $1 now, $2 the end of the lease, $3 how many, $4 how many in flight for one endpoint, $5 the claiming worker, $6 the
// milliseconds after which a silent worker is dead, $7 the endpoints that may have one in flight only, $8 those that get nothing for now. Endpoints take turns by the number of deliveries in flight: the
// endpoint with the fewest goes first. The two queues of an endpoint, first attempts and later attempts, take turns in
// the same way, so that neither blocks the other. A delivery that waits for another delivery of its intent is in no
// queue. When it is released it goes to the end of a queue, so the intents of an endpoint take turns as well. The
// conditions appear twice, because another worker may claim rows between the choice and the lock. After a burst the
// statistics still show few pending rows, and a planner that trusts them would read all pending rows for each lookup.
// So single rows are read in their own subqueries, by key, with "finished_at IS NULL" for pending, because only the
// index of the key matches it.
const CLAIM = `
WITH ${WAITING}, dead AS MATERIALIZED (
  SELECT array_agg(id) AS ids FROM workers WHERE last_seen_at < now() - $6 * interval '1 millisecond' AND id <> $5
), busy AS (
  SELECT endpoint_id, count(*) FILTER (WHERE attempts = 0) AS first, count(*) FILTER (WHERE attempts > 0) AS later
  FROM webhook_deliveries held
  WHERE status = 'pending' AND lease_until > $1 AND NOT ${isAbandoned('held')} GROUP BY endpoint_id
), heads AS (
  ${headOf('first')}
  UNION ALL
  ${headOf('later')}
), turns AS (
  SELECT id, endpoint_id, next_attempt_at, sequence, in_flight + row_number()
    OVER (PARTITION BY endpoint_id ORDER BY turn, next_attempt_at, sequence) AS turn
  FROM heads
), chosen AS MATERIALIZED (
  SELECT id FROM turns WHERE turn <= CASE WHEN endpoint_id = ANY ($7::uuid[]) THEN 1 ELSE $4::int END ORDER BY turn, next_attempt_at, sequence
), leased AS (
  UPDATE webhook_deliveries delivery SET fence = fence + 1, lease_until = $2, claimed_by = $5
  WHERE delivery.id = ANY (ARRAY(
    SELECT free.id FROM chosen CROSS JOIN LATERAL (
      SELECT delivery.id FROM webhook_deliveries delivery
      WHERE delivery.id = chosen.id AND delivery.finished_at IS NULL
        AND delivery.next_attempt_at <= $1 AND ${isFree('delivery')}
      FOR UPDATE SKIP LOCKED
    ) free
    LIMIT $3::int))
  RETURNING delivery.id, delivery.fence, delivery.attempts, delivery.event_id, delivery.endpoint_id
), ${UNFLUSHED}
SELECT leased.id, leased.fence, leased.attempts, endpoint.url, endpoint.disabled_at IS NOT NULL AS is_disabled,
  endpoint.id AS endpoint_id, endpoint.secret_version, endpoint.secret_rotations, event.id AS event_id, event.type, event.subject_kind, event.network,
  event.created_at, event.data, subject.id AS subject_id, subject.name AS subject_name,
  subject.marketplace_account_id IS NOT NULL AS is_seller, subject.external_id
FROM leased
CROSS JOIN unflushed
JOIN webhook_endpoints endpoint ON endpoint.id = leased.endpoint_id
JOIN events event ON event.id = leased.event_id
JOIN accounts subject ON subject.id = event.account_id
ORDER BY event.sequence`

type ClaimedRow = {
  id: string
  fence: bigint
  attempts: number
  url: string
  is_disabled: boolean
  endpoint_id: string
  secret_version: number
  secret_rotations: readonly Date[]
  event_id: string
  type: string
  subject_kind: string
  network: Network
  created_at: Date
  data: unknown
  subject_id: string
  subject_name: string
  is_seller: boolean
  external_id: string | null
}

// $10 whether the endpoint is gone, $11 the address that was asked. One that has changed is not gone. From $12 on, the attempt.
const RECORD = `
WITH moved AS MATERIALIZED (
  SELECT $10::boolean AND url <> $11 AS is_so
  FROM webhook_endpoints WHERE id = (SELECT endpoint_id FROM webhook_deliveries WHERE id = $1)
), recorded AS (
  UPDATE webhook_deliveries SET
    status = CASE WHEN moved.is_so THEN 'pending' ELSE $3::delivery_status END, attempts = attempts + $4::int,
    next_attempt_at = CASE WHEN moved.is_so THEN $9 ELSE coalesce($5, next_attempt_at) END,
    last_status_code = $6, last_error = $7, finished_at = CASE WHEN NOT moved.is_so THEN $8::timestamptz END,
    last_attempt_at = CASE WHEN $4::int > 0 THEN $9 ELSE last_attempt_at END, lease_until = NULL, claimed_by = NULL
  FROM moved
  WHERE id = $1 AND fence = $2 AND lease_until IS NOT NULL
  RETURNING id, endpoint_id, attempts
), attempted AS (
  INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, request_headers, response_status,
    response_headers, response_body, error)
  SELECT id, attempts, $12, $13::int, $14::jsonb, $6, $15::jsonb, $16, $7 FROM recorded WHERE $4::int > 0
), forgotten AS (
  DELETE FROM webhook_attempts
  WHERE delivery_id = $1 AND number <= (SELECT attempts - ${KEPT_ATTEMPTS} FROM recorded)
), disabled AS (
  UPDATE webhook_endpoints SET disabled_at = $9, disabled_reason = $7, updated_at = $9
  WHERE $10::boolean AND url = $11 AND disabled_at IS NULL AND id IN (SELECT endpoint_id FROM recorded)
), ${UNFLUSHED}
SELECT 1 AS recorded FROM recorded CROSS JOIN unflushed`

export function createDeliveryStore(db: Pick<Database, 'query'>): DeliveryStore {
  return {
    async claim({ now, leaseMs, limit, perEndpoint, failing, resting, worker, deadAfterMs }) {
      const leaseUntil = new Date(now.getTime() + leaseMs)
      const params = [now, leaseUntil, limit, perEndpoint, worker, deadAfterMs, failing, resting]
      const rows = await db.query<ClaimedRow>(CLAIM, params)
      return rows.map(leasedFromRow)
    },

    async record({ deliveryId, fence, url }, outcome) {
      return (
        (await db.query(RECORD, [deliveryId, fence, ...outcomeColumns(outcome), url, ...attemptColumns(outcome)]))
          .length === 1
      )
    },
  }
}

const leasedFromRow = (row: ClaimedRow): LeasedDelivery => ({
  lease: { deliveryId: row.id, fence: row.fence, url: row.url },
  attempts: row.attempts,
  event: {
    id: row.event_id,
    type: row.type,
    subjectKind: row.subject_kind,
    network: row.network,
    createdAt: row.created_at,
    data: row.data,
    account: { id: row.subject_id, name: row.subject_name, isSeller: row.is_seller, externalId: row.external_id },
  },
  endpoint: {
    id: row.endpoint_id,
    url: row.url,
    isDisabled: row.is_disabled,
    secretState: { version: row.secret_version, rotations: row.secret_rotations },
  },
})

/** Returns the parameters of RECORD from $3 on. */
const outcomeColumns = ({ verdict, attempt, at }: DeliveryOutcome) => [
  verdict.status,
  attempt === null ? 0 : 1,
  verdict.status === 'pending' ? verdict.nextAttemptAt : null,
  verdict.statusCode,
  verdict.error,
  verdict.status === 'pending' ? null : at,
  at,
  verdict.status === 'failed' && verdict.disablesEndpoint,
]

/** Returns the parameters of RECORD from $12 on. */
function attemptColumns({ attempt }: DeliveryOutcome) {
  if (attempt === null) return [null, null, null, null, null]
  const { startedAt, durationMs, requestHeaders, response } = attempt
  const headers = response === null ? null : JSON.stringify(response.headers)
  return [startedAt, durationMs, JSON.stringify(requestHeaders), headers, response?.body ?? null]
}
