// Puts deliveries of staged events into the queues of their endpoints.

/**
 * The end of a WITH list and its statement: expects `wanted(event_id, endpoint_id, intent_id, sequence, staged_at)`, one
 * row for each delivery, and defines `queued`. A delivery waits for the newest unsent one of its intent to the same endpoint.
 * The share lock makes the two transactions that could miss each other, this one and the one that ends that attempt,
 * follow one another.
 */
export const QUEUE_DELIVERIES = `
numbered AS MATERIALIZED (
  SELECT gen_random_uuid() AS id, wanted.* FROM wanted
), lane AS MATERIALIZED (
  SELECT DISTINCT endpoint_id, intent_id FROM numbered WHERE intent_id IS NOT NULL
), newest_unsent AS MATERIALIZED (
  SELECT lane.endpoint_id, lane.intent_id, unsent.id
  FROM lane CROSS JOIN LATERAL (
    SELECT delivery.id FROM webhook_deliveries delivery
    WHERE delivery.endpoint_id = lane.endpoint_id AND delivery.intent_id = lane.intent_id
      AND delivery.status = 'pending' AND delivery.attempts = 0
    ORDER BY delivery.sequence DESC LIMIT 1
    FOR SHARE
  ) unsent
), queued AS (
  INSERT INTO webhook_deliveries (id, event_id, endpoint_id, intent_id, sequence, next_attempt_at, created_at,
    waits_for_id)
  SELECT numbered.id, numbered.event_id, numbered.endpoint_id, numbered.intent_id, numbered.sequence,
    numbered.staged_at, numbered.staged_at, CASE WHEN numbered.intent_id IS NOT NULL THEN coalesce(
      lag(numbered.id) OVER (PARTITION BY numbered.endpoint_id, numbered.intent_id ORDER BY numbered.sequence),
      newest_unsent.id) END
  FROM numbered LEFT JOIN newest_unsent USING (endpoint_id, intent_id)
  RETURNING id, event_id, endpoint_id
)`
