-- An obligation says what must happen exactly once. What it says is fixed when it is planned; only its progress changes.

-- Replaces the function of money_rules: a leg cannot move to another transfer, position or fee rate either.
CREATE OR REPLACE FUNCTION "legs_are_frozen"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE'
    OR (NEW."transfer_id", NEW."position", NEW."role", NEW."destination", NEW."amount", NEW."fee_bps")
      IS DISTINCT FROM (OLD."transfer_id", OLD."position", OLD."role", OLD."destination", OLD."amount", OLD."fee_bps")
  THEN
    RAISE EXCEPTION 'the legs of a transfer are frozen';
  END IF;
  RETURN NEW;
END $$;

-- A transfer gets its legs before any worker claims it. The lock keeps a claim out until the new leg is committed.
CREATE FUNCTION "legs_come_first"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "now" "transfer_status";
BEGIN
  SELECT "status" INTO "now" FROM "transfers" WHERE "id" = NEW."transfer_id" FOR NO KEY UPDATE;
  IF "now" <> 'planned' OR EXISTS (SELECT FROM "transfer_attempts" WHERE "transfer_id" = NEW."transfer_id") THEN
    RAISE EXCEPTION 'a transfer that was started gets no more legs';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "legs_come_first" BEFORE INSERT ON "transfer_legs"
  FOR EACH ROW EXECUTE FUNCTION "legs_come_first"();

CREATE FUNCTION "obligations_are_fixed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what a transfer is about never changes';
END $$;
CREATE TRIGGER "obligations_are_fixed" BEFORE UPDATE ON "transfers"
  FOR EACH ROW
  WHEN (
    (NEW."id", NEW."key", NEW."network", NEW."kind", NEW."account_id", NEW."intent_id", NEW."source",
      NEW."source_account_index", NEW."source_intent_index", NEW."asset", NEW."decimals", NEW."token_program",
      NEW."round")
    IS DISTINCT FROM
    (OLD."id", OLD."key", OLD."network", OLD."kind", OLD."account_id", OLD."intent_id", OLD."source",
      OLD."source_account_index", OLD."source_intent_index", OLD."asset", OLD."decimals", OLD."token_program",
      OLD."round")
  )
  EXECUTE FUNCTION "obligations_are_fixed"();
