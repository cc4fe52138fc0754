-- The newest search entries of a marketplace are read in order, without their payments. The index of parts is made again,
-- because a change of every row would enter each of its parts one by one.
-- DropIndex
DROP INDEX "payment_search_parts_idx";

-- AlterTable
ALTER TABLE "payment_search" ADD COLUMN     "caller_account_id" UUID,
ADD COLUMN     "created_at" TIMESTAMPTZ(3);

UPDATE "payment_search" SET "caller_account_id" = payment."caller_account_id", "created_at" = payment."created_at"
FROM "payment_intents" payment WHERE payment."id" = "intent_id";

ALTER TABLE "payment_search" ALTER COLUMN "caller_account_id" SET NOT NULL, ALTER COLUMN "created_at" SET NOT NULL;

-- CreateIndex
CREATE INDEX "payment_search_parts_idx" ON "payment_search" USING GIN ("parts");

-- CreateIndex
CREATE INDEX "payment_search_caller_account_id_created_at_intent_id_idx" ON "payment_search"("caller_account_id", "created_at" DESC, "intent_id" DESC);
