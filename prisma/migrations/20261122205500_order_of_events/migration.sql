-- A sequence numbers events before they commit, so a reader that follows it can pass an event that is still being written.
-- The number of the transaction tells which events are complete. Events from before have none to wait for.
ALTER TABLE "events" ADD COLUMN "database_transaction" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "events" ALTER COLUMN "database_transaction" SET DEFAULT ((pg_current_xact_id())::text)::bigint;

-- The feed of a marketplace: events of its sellers' payments.
CREATE INDEX "events_for_marketplaces" ON "events" ("receiver_account_id", "database_transaction", "sequence")
  WHERE "account_id" <> "receiver_account_id";
