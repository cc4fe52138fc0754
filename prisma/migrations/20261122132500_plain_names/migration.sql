-- Names that say what they mean.
ALTER TABLE "workers" RENAME COLUMN "beat_at" TO "last_seen_at";
ALTER TYPE "deposit_use" RENAME VALUE 'held' TO 'unaccepted';

-- The part of the money that a transfer moves was written in its key.
CREATE TYPE "transfer_portion" AS ENUM ('main', 'rent_reserve', 'unaccepted');
ALTER TABLE "transfers" ADD COLUMN "portion" "transfer_portion" NOT NULL DEFAULT 'main';
UPDATE "transfers" SET "portion" = 'rent_reserve' WHERE "key" LIKE '%:rest';
UPDATE "transfers" SET "portion" = 'unaccepted' WHERE "key" LIKE 'release:apart:%';

DROP TRIGGER "obligations_are_fixed" ON "transfers";
CREATE TRIGGER "obligations_are_fixed" BEFORE UPDATE ON "transfers"
  FOR EACH ROW
  WHEN (
    (NEW."id", NEW."key", NEW."network", NEW."kind", NEW."account_id", NEW."intent_id", NEW."source",
      NEW."source_account_index", NEW."source_intent_index", NEW."asset", NEW."decimals", NEW."token_program",
      NEW."round", NEW."portion")
    IS DISTINCT FROM
    (OLD."id", OLD."key", OLD."network", OLD."kind", OLD."account_id", OLD."intent_id", OLD."source",
      OLD."source_account_index", OLD."source_intent_index", OLD."asset", OLD."decimals", OLD."token_program",
      OLD."round", OLD."portion")
  )
  EXECUTE FUNCTION "obligations_are_fixed"();
