-- DropIndex
DROP INDEX "subscription_intents_tier_id_idx";

-- CreateIndex
CREATE INDEX "subscription_intents_account_id_status_created_at_id_idx" ON "subscription_intents"("account_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscription_intents_tier_id_created_at_id_idx" ON "subscription_intents"("tier_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscription_intents_tier_id_status_created_at_id_idx" ON "subscription_intents"("tier_id", "status", "created_at" DESC, "id" DESC);
