-- The rules of money that a schema file cannot say. Each makes a mistake impossible rather than unlikely.

-- At most one live attempt for an obligation, and for a deposit address: never two signed transactions that could both land.
CREATE UNIQUE INDEX "transfer_attempts_live_transfer" ON "transfer_attempts" ("transfer_id")
  WHERE "state" IN ('prepared', 'signed', 'sent', 'seen', 'unknown');
CREATE UNIQUE INDEX "transfer_attempts_live_source" ON "transfer_attempts" ("source")
  WHERE "state" IN ('prepared', 'signed', 'sent', 'seen', 'unknown');
-- At most one attempt of an obligation ever succeeded.
CREATE UNIQUE INDEX "transfer_attempts_one_success" ON "transfer_attempts" ("transfer_id") WHERE "state" = 'final_ok';

-- Work that is waiting, found without reading what is done.
CREATE INDEX "transfers_due" ON "transfers" ("next_attempt_at") WHERE "status" IN ('planned', 'in_progress');
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" ("endpoint_id", "next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "webhook_deliveries_in_flight" ON "webhook_deliveries" ("endpoint_id", "lease_until")
  WHERE "status" = 'pending' AND "lease_until" IS NOT NULL;
CREATE INDEX "webhook_deliveries_newest" ON "webhook_deliveries" ("created_at");
CREATE INDEX "deposits_unfinal" ON "deposits" ("network", "seen_at") WHERE "state" = 'confirmed';
CREATE INDEX "payment_intents_open" ON "payment_intents" ("network", "expires_at")
  WHERE "status" IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding');

ALTER TABLE "payment_intents"
  ADD CONSTRAINT "price_is_positive" CHECK ("price_usd_cents" > 0),
  ADD CONSTRAINT "index_zero_is_reserved" CHECK ("derivation_index" > 0),
  ADD CONSTRAINT "something_is_accepted" CHECK (cardinality("accepted_assets") > 0),
  ADD CONSTRAINT "received_is_not_negative" CHECK ("received_amount" >= 0),
  ADD CONSTRAINT "selection_is_whole" CHECK (
    ("asset" IS NULL AND "asset_decimals" IS NULL AND "expected_amount" IS NULL)
    OR ("asset" IS NOT NULL AND "asset_decimals" IS NOT NULL AND "expected_amount" > 0)
  );
ALTER TABLE "deposits" ADD CONSTRAINT "deposit_is_positive" CHECK ("amount" > 0);
ALTER TABLE "transfer_legs" ADD CONSTRAINT "leg_is_not_negative" CHECK ("amount" >= 0);
ALTER TABLE "transfer_attempts" ADD CONSTRAINT "signed_means_stored" CHECK (
  "state" = 'prepared' OR ("wire" IS NOT NULL AND "signature" IS NOT NULL) OR "state" = 'dead'
);

-- The ledger is only ever added to.
CREATE FUNCTION "ledger_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger entries are never changed or removed';
END $$;
CREATE TRIGGER "ledger_is_append_only" BEFORE UPDATE OR DELETE ON "ledger_entries"
  FOR EACH ROW EXECUTE FUNCTION "ledger_is_append_only"();

-- Where money goes, and how much, never changes after it was planned.
CREATE FUNCTION "legs_are_frozen"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR NEW."role" <> OLD."role" OR NEW."destination" <> OLD."destination" OR NEW."amount" <> OLD."amount" THEN
    RAISE EXCEPTION 'the legs of a transfer are frozen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "legs_are_frozen" BEFORE UPDATE OR DELETE ON "transfer_legs"
  FOR EACH ROW EXECUTE FUNCTION "legs_are_frozen"();
