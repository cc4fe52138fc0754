-- A search reads the payments next to a page in the order of the page, by an index that has their texts, so that it reads no
-- payment. An entry of an index has at most 2,704 bytes: a longer text stays in the search entry only.

-- DropIndex
DROP INDEX "payment_search_caller_account_id_created_at_intent_id_idx";

-- AlterTable
ALTER TABLE "payment_intents" ADD COLUMN     "search_text" TEXT;

UPDATE "payment_intents" SET "search_text" = entry."text"
FROM "payment_search" entry WHERE entry."intent_id" = "id" AND char_length(entry."text") <= 300;

DROP INDEX "payment_intents_for_sellers";
CREATE INDEX "payment_intents_for_sellers" ON "payment_intents"
  ("caller_account_id", "created_at" DESC, "id" DESC) INCLUDE ("search_text") WHERE "marketplace_fee_bps" IS NOT NULL;
DROP INDEX "payment_intents_for_sellers_by_status";
CREATE INDEX "payment_intents_for_sellers_by_status" ON "payment_intents"
  ("caller_account_id", "status", "created_at" DESC, "id" DESC) INCLUDE ("search_text")
  WHERE "marketplace_fee_bps" IS NOT NULL;
CREATE INDEX "payment_intents_of_sellers" ON "payment_intents"
  ("account_id", "created_at" DESC, "id" DESC) INCLUDE ("caller_account_id", "search_text")
  WHERE "marketplace_fee_bps" IS NOT NULL;
DROP INDEX "payment_intents_of_sellers_by_status";
CREATE INDEX "payment_intents_of_sellers_by_status" ON "payment_intents"
  ("account_id", "status", "created_at" DESC, "id" DESC) INCLUDE ("caller_account_id", "search_text")
  WHERE "marketplace_fee_bps" IS NOT NULL;
