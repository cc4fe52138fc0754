-- A transfer can draw from another token account of its source than the associated one. So unaccepted money needs no portion.
DROP TRIGGER "obligations_are_fixed" ON "transfers";
DROP INDEX "transfers_under_way";

ALTER TABLE "transfers" ADD COLUMN "source_account" TEXT;
ALTER TABLE "transfers" ALTER COLUMN "portion" DROP DEFAULT;
ALTER TYPE "transfer_portion" RENAME TO "transfer_portion_old";
CREATE TYPE "transfer_portion" AS ENUM ('main', 'rent_reserve');
ALTER TABLE "transfers" ALTER COLUMN "portion" TYPE "transfer_portion"
  USING CASE "portion"::text WHEN 'rent_reserve' THEN 'rent_reserve'::"transfer_portion" ELSE 'main' END;
DROP TYPE "transfer_portion_old";
ALTER TABLE "transfers" ALTER COLUMN "portion" SET DEFAULT 'main';

CREATE INDEX "transfers_under_way" ON "transfers" ("account_id")
  WHERE "status" IN ('planned', 'in_progress') AND "kind" <> 'rent' AND "portion" <> 'rent_reserve';
CREATE TRIGGER "obligations_are_fixed" BEFORE UPDATE ON "transfers"
  FOR EACH ROW
  WHEN (
    (NEW."id", NEW."key", NEW."network", NEW."subject_kind", NEW."subject_id", NEW."kind", NEW."account_id",
      NEW."intent_id", NEW."source", NEW."source_account", NEW."authority", NEW."authority_key", NEW."asset",
      NEW."decimals", NEW."token_program", NEW."round", NEW."portion")
    IS DISTINCT FROM
    (OLD."id", OLD."key", OLD."network", OLD."subject_kind", OLD."subject_id", OLD."kind", OLD."account_id",
      OLD."intent_id", OLD."source", OLD."source_account", OLD."authority", OLD."authority_key", OLD."asset",
      OLD."decimals", OLD."token_program", OLD."round", OLD."portion")
  )
  EXECUTE FUNCTION "obligations_are_fixed"();
