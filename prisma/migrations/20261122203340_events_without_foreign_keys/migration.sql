-- An event names its payment and its account as it names every other subject, by id. The statement that stages an event
-- has just written or locked its subject, and no row of either table is ever deleted.
ALTER TABLE "events" DROP CONSTRAINT "events_account_id_fkey", DROP CONSTRAINT "events_intent_id_fkey";
-- before comparing: ALTER TABLE "events" ADD CONSTRAINT "events_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- No statement reads the events of an account in their order.
DROP INDEX "events_account_id_sequence_idx";
