-- CreateIndex
CREATE INDEX "payment_intents_caller_account_id_status_created_at_id_idx" ON "payment_intents"("caller_account_id", "status", "created_at", "id");
