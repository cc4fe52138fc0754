-- CreateTable
CREATE TABLE "payment_search" (
    "intent_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "parts" TEXT[],

    CONSTRAINT "payment_search_pkey" PRIMARY KEY ("intent_id")
);

-- CreateIndex
CREATE INDEX "payment_search_parts_idx" ON "payment_search" USING GIN ("parts");

-- AddForeignKey
ALTER TABLE "payment_search" ADD CONSTRAINT "payment_search_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The payments of a marketplace for its sellers, among payments of its own and by status.
CREATE INDEX "payment_intents_for_sellers" ON "payment_intents" ("caller_account_id", "created_at" DESC, "id" DESC)
  WHERE "marketplace_fee_bps" IS NOT NULL;
CREATE INDEX "payment_intents_for_sellers_by_status" ON "payment_intents"
  ("caller_account_id", "status", "created_at" DESC, "id" DESC) WHERE "marketplace_fee_bps" IS NOT NULL;
