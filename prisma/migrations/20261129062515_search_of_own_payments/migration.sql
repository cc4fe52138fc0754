-- AlterTable
ALTER TABLE "payment_search" ADD COLUMN     "is_indexed" BOOLEAN NOT NULL DEFAULT false,
ALTER COLUMN "parts" SET DEFAULT ARRAY[]::TEXT[];

-- The entries whose parts a job is still to write. There are few, and a search reads their texts.
CREATE INDEX "payment_search_not_indexed" ON "payment_search" ("caller_account_id") WHERE NOT "is_indexed";
