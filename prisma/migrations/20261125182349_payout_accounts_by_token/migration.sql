-- The fee payer creates a token account of a business for each of its tokens, no more than once in a time.
ALTER TABLE "payout_creations" ADD COLUMN "asset" TEXT;

UPDATE "payout_creations" SET "asset" = "transfers"."asset" FROM "transfers" WHERE "transfers"."id" = "transfer_id";

ALTER TABLE "payout_creations" DROP CONSTRAINT "payout_creations_pkey",
ALTER COLUMN "asset" SET NOT NULL,
ADD CONSTRAINT "payout_creations_pkey" PRIMARY KEY ("network", "account_id", "asset");
