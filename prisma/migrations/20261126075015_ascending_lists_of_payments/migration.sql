-- A new payment joins the end of an ascending index, where it costs least. Lists read both indexes backward.

-- DropIndex
DROP INDEX "payment_intents_account_id_created_at_id_idx";

-- DropIndex
DROP INDEX "payment_intents_caller_account_id_created_at_id_idx";

-- CreateIndex
CREATE INDEX "payment_intents_account_id_created_at_id_idx" ON "payment_intents"("account_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "payment_intents_caller_account_id_created_at_id_idx" ON "payment_intents"("caller_account_id", "created_at", "id");
