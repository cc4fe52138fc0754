-- The payments of one seller in a status that few of its payments have. Ordinary payments are not in the index.
CREATE INDEX "payment_intents_of_sellers_by_status" ON "payment_intents"
  ("account_id", "status", "created_at" DESC, "id" DESC) WHERE "marketplace_fee_bps" IS NOT NULL;
