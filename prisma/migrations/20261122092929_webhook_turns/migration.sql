-- Deliveries to one endpoint take turns by intent. A delivery that has to wait for an earlier one of its intent names it,
-- and is in no queue until then, so a claim reads the head of a queue and passes over nothing.
ALTER TABLE "webhook_deliveries" ADD COLUMN "intent_id" UUID,
ADD COLUMN "last_attempt_at" TIMESTAMPTZ(3),
ADD COLUMN "sequence" BIGINT,
ADD COLUMN "waits_for_id" UUID;

ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_waits_for_id_fkey" FOREIGN KEY ("waits_for_id") REFERENCES "webhook_deliveries"("id") ON DELETE SET NULL ON UPDATE CASCADE;

UPDATE "webhook_deliveries" delivery SET "intent_id" = event."intent_id", "sequence" = event."sequence"
FROM "events" event WHERE event."id" = delivery."event_id" AND delivery."status" = 'pending';

UPDATE "webhook_deliveries" delivery SET "waits_for_id" = unsent."before"
FROM (
  SELECT "id", lag("id") OVER (PARTITION BY "endpoint_id", "intent_id" ORDER BY "sequence") AS "before"
  FROM "webhook_deliveries" WHERE "status" = 'pending' AND "attempts" = 0 AND "intent_id" IS NOT NULL
) unsent
WHERE unsent."id" = delivery."id" AND unsent."before" IS NOT NULL;

-- Each endpoint has two queues: first attempts and later ones.
DROP INDEX "webhook_deliveries_due";
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" ("endpoint_id", (LEAST("attempts", 1)), "next_attempt_at", "sequence")
  WHERE "status" = 'pending' AND "waits_for_id" IS NULL;
CREATE INDEX "webhook_deliveries_unsent" ON "webhook_deliveries" ("endpoint_id", "intent_id", "sequence")
  WHERE "status" = 'pending' AND "attempts" = 0;
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" ("waits_for_id") WHERE "waits_for_id" IS NOT NULL;

-- In the transaction that ends a first attempt, and not in the statement: the delivery that waits may have been staged
-- after the statement began.
CREATE FUNCTION "release_next_delivery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "webhook_deliveries" SET "waits_for_id" = NULL,
    "next_attempt_at" = GREATEST("next_attempt_at", NEW."last_attempt_at", NEW."finished_at")
  WHERE "waits_for_id" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "release_next_delivery" AFTER UPDATE OF "status", "attempts" ON "webhook_deliveries" FOR EACH ROW
  WHEN (OLD."status" = 'pending' AND OLD."attempts" = 0 AND (NEW."status" <> 'pending' OR NEW."attempts" > 0))
  EXECUTE FUNCTION "release_next_delivery"();
