// The outbox: events are staged in the transaction of their change, each with a delivery for every subscribed endpoint.
// This is the only SQL that stages events, for every subject.

import { EVENTS_ADDED } from '#adapters/prisma/engine/notices.ts'
import type { Network } from '#core/chain/types.ts'
import { INTENT_UPDATED } from '#core/payments/change.ts'
import type { SubjectRef } from '#core/transfers/transfer.ts'

/** An event to stage. `data` is the snapshot of its subject at `version`. */
export type StagedEvent = {
  readonly network: Network
  /** The owner of the subject. */
  readonly accountId: string
  /** The account whose endpoints receive it. */
  readonly receiverAccountId: string
  readonly type: string
  readonly subject: SubjectRef
  readonly version: number
  readonly data: unknown
  readonly at: Date
}

/** The column that also names the subject, so that the database keeps the two together. */
const INTENT_OF = `CASE WHEN subject_kind = 'payment' THEN subject_id END`

/** Reads events, given as JSON of `StagedEvent`s, as rows for `STAGE_EVENTS`. */
export const GIVEN_EVENTS = `
given_events AS (
  SELECT place, (event->>'network')::network_name AS network, (event->>'accountId')::uuid AS account_id,
    (event->>'receiverAccountId')::uuid AS receiver_account_id, event->>'type' AS type,
    event->'subject'->>'kind' AS subject_kind, (event->'subject'->>'id')::uuid AS subject_id,
    (event->>'version')::int AS version, event->'data' AS data, (event->>'at')::timestamptz AS at
  FROM json_array_elements($1::json) WITH ORDINALITY AS given(event, place)
)`

/**
 * Puts deliveries into the queues of their endpoints: expects `wanted(event_id, endpoint_id, account_id, type, subject_id,
 * sequence, staged_at)`, one row for each delivery, and defines `queued`. A delivery waits for the newest unsent delivery of its
 * subject to the same endpoint. The share lock serializes this transaction and the transaction that ends the attempt,
 * which could otherwise miss each other.
 */
export const QUEUE_DELIVERIES = `
numbered AS MATERIALIZED (
  SELECT time_ordered_uuid() AS id, wanted.* FROM wanted
), lane AS MATERIALIZED (
  SELECT DISTINCT endpoint_id, subject_id FROM numbered
), newest_unsent AS MATERIALIZED (
  SELECT lane.endpoint_id, lane.subject_id, unsent.id
  FROM lane CROSS JOIN LATERAL (
    SELECT delivery.id FROM webhook_deliveries delivery
    WHERE delivery.endpoint_id = lane.endpoint_id AND delivery.subject_id = lane.subject_id
      AND delivery.status = 'pending' AND delivery.attempts = 0
    ORDER BY delivery.sequence DESC LIMIT 1
    FOR SHARE
  ) unsent
), queued AS (
  INSERT INTO webhook_deliveries (id, event_id, endpoint_id, account_id, type, subject_id, sequence, next_attempt_at,
    created_at, waits_for_id)
  SELECT numbered.id, numbered.event_id, numbered.endpoint_id, numbered.account_id, numbered.type, numbered.subject_id,
    numbered.sequence, numbered.staged_at, numbered.staged_at, coalesce(
      lag(numbered.id) OVER (PARTITION BY numbered.endpoint_id, numbered.subject_id ORDER BY numbered.sequence),
      newest_unsent.id)
  FROM numbered LEFT JOIN newest_unsent USING (endpoint_id, subject_id)
  RETURNING id, event_id, endpoint_id
)`

/** Expects `given_events` as `GIVEN_EVENTS` defines it, stages the events, and defines `wanted`: deliveries to these endpoints. */
const stagedAndWanted = (endpoints: string): string => `
staged AS (
  INSERT INTO events (network, account_id, receiver_account_id, type, subject_kind, subject_id, version, intent_id, data,
    created_at)
  SELECT network, account_id, receiver_account_id, type, subject_kind, subject_id, version, ${INTENT_OF}, data, at
  FROM given_events ORDER BY place
  RETURNING id, type, subject_id, sequence, receiver_account_id, created_at,
    pg_notify('${EVENTS_ADDED}', receiver_account_id::text)::text AS announced
), wanted AS (
  SELECT staged.id AS event_id, endpoint.id AS endpoint_id, endpoint.account_id, staged.type, staged.subject_id,
    staged.sequence, staged.created_at AS staged_at
  FROM staged JOIN webhook_endpoints endpoint ON endpoint.account_id = staged.receiver_account_id
  WHERE endpoint.disabled_at IS NULL AND ${endpoints}
)`

/** No type that an endpoint can choose is `INTENT_UPDATED`, which is for the feed of a marketplace alone. */
const SUBSCRIBED = `CASE WHEN cardinality(endpoint.event_types) = 0 THEN staged.type <> '${INTENT_UPDATED}'
  ELSE staged.type = ANY (endpoint.event_types) END`
const STAGED_AND_WANTED = stagedAndWanted(SUBSCRIBED)

/** The end of a WITH list: expects `given_events` as `GIVEN_EVENTS` defines it, and defines `staged` and `queued`. */
export const STAGE_EVENTS = `${STAGED_AND_WANTED}, ${QUEUE_DELIVERIES}`

/** The same for events that an endpoint receives whatever types it has chosen: the endpoint $2, and all where it is null. */
export const STAGE_FOR_ENDPOINTS = `${stagedAndWanted('($2::uuid IS NULL OR endpoint.id = $2::uuid)')}, ${QUEUE_DELIVERIES}`

/** The same for the first event of new subjects, whose deliveries wait for nothing. */
export const STAGE_FIRST_EVENTS = `${STAGED_AND_WANTED}, queued AS (
  INSERT INTO webhook_deliveries (event_id, endpoint_id, account_id, type, subject_id, sequence, next_attempt_at, created_at)
  SELECT event_id, endpoint_id, account_id, type, subject_id, sequence, staged_at, staged_at FROM wanted
  RETURNING 1
)`
