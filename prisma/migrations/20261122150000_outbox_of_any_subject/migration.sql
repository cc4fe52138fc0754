-- An event is about a subject of any kind, and goes to the endpoints of the account that receives it.
ALTER TABLE "events"
  ADD COLUMN "subject_kind" TEXT,
  ADD COLUMN "subject_id" UUID,
  ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1,
  ADD COLUMN "receiver_account_id" UUID;
UPDATE "events" SET "subject_kind" = 'payment', "subject_id" = "intent_id",
  "version" = coalesce(("events"."data" ->> 'version')::int, 1), "receiver_account_id" = intent."caller_account_id"
FROM "payment_intents" intent WHERE intent."id" = "events"."intent_id";
UPDATE "events" SET "subject_kind" = 'account', "subject_id" = "account_id", "receiver_account_id" = "account_id"
WHERE "intent_id" IS NULL;
ALTER TABLE "events"
  ALTER COLUMN "subject_kind" SET NOT NULL,
  ALTER COLUMN "subject_id" SET NOT NULL,
  ALTER COLUMN "receiver_account_id" SET NOT NULL,
  ADD CONSTRAINT "events_of_payments" CHECK (
    CASE WHEN "subject_kind" = 'payment' THEN coalesce("intent_id" = "subject_id", false) ELSE "intent_id" IS NULL END);

-- Live status asks for the events of a payment after a version.
DROP INDEX "events_intent_id_idx";
CREATE INDEX "events_intent_id_version_idx" ON "events" ("intent_id", "version");

ALTER TABLE "webhook_deliveries" RENAME COLUMN "intent_id" TO "subject_id";
