-- AlterTable
ALTER TABLE "delegations" ADD COLUMN     "accounted_allowance" DECIMAL(20,0),
ADD COLUMN     "accounted_slot" BIGINT;

-- AlterTable
ALTER TABLE "halts" ALTER COLUMN "intent_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "transfer_attempts" DROP COLUMN "nonce_account",
DROP COLUMN "nonce_authority",
DROP COLUMN "nonce_authority_key",
DROP COLUMN "nonce_slot",
ALTER COLUMN "last_valid_block_height" SET NOT NULL;

-- DropTable
DROP TABLE "nonce_accounts";

DROP INDEX "transfers_of_billing";
CREATE INDEX "transfers_of_billing" ON "transfers" ("subject_kind", "subject_id") WHERE "subject_kind" = 'charge';

-- Delegations that are read once more after their end.
CREATE INDEX "delegations_ended_unread" ON "delegations" ("network", "chain_checked_at")
  WHERE "status" = 'cleared' AND "chain_checked_at" < "cleared_at";
