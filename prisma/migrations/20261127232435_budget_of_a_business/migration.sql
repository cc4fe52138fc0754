-- The business in whose budget a cost of the fee payer counts.
ALTER TABLE "ledger_entries" ADD COLUMN "sponsored_id" UUID;
CREATE INDEX "ledger_entries_sponsored" ON "ledger_entries" ("sponsored_id", "created_at") INCLUDE ("delta")
  WHERE "sponsored_id" IS NOT NULL;

ALTER TABLE "approvals" ADD COLUMN "business_id" UUID;
UPDATE "approvals" approval SET "business_id" = coalesce(
  (SELECT coalesce(account."marketplace_account_id", account."id") FROM "subscription_intents" intent
    JOIN "accounts" account ON account."id" = intent."account_id" WHERE intent."id" = approval."intent_id"),
  (SELECT "receiver_account_id" FROM "billing_subscriptions" WHERE "id" = approval."subscription_id"));
ALTER TABLE "approvals" ALTER COLUMN "business_id" SET NOT NULL;
