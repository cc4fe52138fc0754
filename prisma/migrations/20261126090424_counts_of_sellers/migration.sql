-- How many sellers a marketplace has, without reading them.
-- CreateTable
CREATE TABLE "seller_counts" (
    "marketplace_account_id" UUID NOT NULL,
    "total" INTEGER NOT NULL,
    "archived" INTEGER NOT NULL,

    CONSTRAINT "seller_counts_pkey" PRIMARY KEY ("marketplace_account_id")
);

-- Once for each statement, so that many sellers of one statement change the row once. A seller never moves and is never
-- deleted.
CREATE FUNCTION "count_new_sellers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "seller_counts" AS counted ("marketplace_account_id", "total", "archived")
  SELECT "marketplace_account_id", count(*), count("archived_at") FROM added
  WHERE "marketplace_account_id" IS NOT NULL GROUP BY 1 ORDER BY 1
  ON CONFLICT ("marketplace_account_id")
  DO UPDATE SET "total" = counted."total" + excluded."total", "archived" = counted."archived" + excluded."archived";
  RETURN NULL;
END $$;
CREATE TRIGGER "new_sellers_are_counted" AFTER INSERT ON "accounts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_new_sellers"();

CREATE FUNCTION "count_archived_seller"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "seller_counts" SET "archived" = "archived" + CASE WHEN NEW."archived_at" IS NULL THEN -1 ELSE 1 END
  WHERE "marketplace_account_id" = NEW."marketplace_account_id";
  RETURN NULL;
END $$;
CREATE TRIGGER "archived_sellers_are_counted" AFTER UPDATE OF "archived_at" ON "accounts" FOR EACH ROW
  WHEN ((OLD."archived_at" IS NULL) <> (NEW."archived_at" IS NULL)) EXECUTE FUNCTION "count_archived_seller"();

-- The triggers have locked the table, so no seller is created or archived meanwhile.
INSERT INTO "seller_counts" ("marketplace_account_id", "total", "archived")
SELECT "marketplace_account_id", count(*), count("archived_at") FROM "accounts"
WHERE "marketplace_account_id" IS NOT NULL GROUP BY 1;

-- The list of sellers without archived sellers.
CREATE INDEX "accounts_sellers_in_use" ON "accounts" ("marketplace_account_id", "created_at", "id")
  WHERE "archived_at" IS NULL AND "marketplace_account_id" IS NOT NULL;
