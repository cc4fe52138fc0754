-- What the operator lists and counts. A row enters each index once, when its work has ended.
CREATE INDEX "transfers_ended" ON "transfers" ("status", "created_at", "id") WHERE "status" IN ('done', 'failed', 'held');
CREATE INDEX "payment_intents_failed" ON "payment_intents" ("id") WHERE "status" IN ('settle_failed', 'refund_failed');
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" ("created_at") WHERE "status" = 'failed';

-- The newest events of a seller, whose deliveries go to the endpoints of its marketplace.
CREATE INDEX "events_of_sellers" ON "events" ("account_id", "sequence")
  WHERE "account_id" <> "receiver_account_id" AND "type" <> 'intent.updated';
