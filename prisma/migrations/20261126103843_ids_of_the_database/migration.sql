-- The ids that the database draws begin with the time, as those of the service do, so that a new row joins the last page of
-- an index by id. PostgreSQL has such ids from version 18 on; an older version draws random ids.
CREATE FUNCTION "time_ordered_uuid"() RETURNS UUID LANGUAGE sql VOLATILE AS 'SELECT gen_random_uuid()';
DO $$ BEGIN
  IF current_setting('server_version_num')::INT >= 180000 THEN
    CREATE OR REPLACE FUNCTION "time_ordered_uuid"() RETURNS UUID LANGUAGE sql VOLATILE AS 'SELECT uuidv7()';
  END IF;
END $$;

-- AlterTable
ALTER TABLE "deposits" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- AlterTable
ALTER TABLE "events" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- AlterTable
ALTER TABLE "halts" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- AlterTable
ALTER TABLE "marketplace_audit" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- AlterTable
ALTER TABLE "transfer_attempts" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- AlterTable
ALTER TABLE "transfers" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- AlterTable
ALTER TABLE "webhook_deliveries" ALTER COLUMN "id" SET DEFAULT time_ordered_uuid();

-- A business finds its payments by the account that created them, and a seller by "payment_intents_of_sellers", which has the
-- payments for sellers only: no list reads this index.

-- DropIndex
DROP INDEX "payment_intents_account_id_created_at_id_idx";
