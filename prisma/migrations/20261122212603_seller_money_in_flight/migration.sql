-- What archiving a seller asks for: its payments that have not ended, and its transfers that are to move money. Both indexes
-- have the rows in flight only.
CREATE INDEX "payment_intents_of_sellers_in_flight" ON "payment_intents" ("account_id", "created_at" DESC, "id" DESC)
  WHERE "account_id" <> "caller_account_id"
    AND "status" IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'settle_failed', 'refunding', 'refund_failed');
CREATE INDEX "transfers_under_way" ON "transfers" ("account_id")
  WHERE "status" IN ('planned', 'in_progress') AND "kind" <> 'rent' AND "portion" <> 'rent_reserve';
