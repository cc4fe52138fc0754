-- AlterTable
ALTER TABLE "nonce_accounts" DROP COLUMN "last_valid_block_height",
DROP COLUMN "signature";

-- AlterTable
ALTER TABLE "transfers" ALTER COLUMN "account_id" DROP NOT NULL;

ALTER TABLE "nonce_accounts" ADD CONSTRAINT "nonce_accounts_state" CHECK (state IN ('creating', 'ready'));

-- Whether a value of a nonce was used: a partial index, because most attempts have no nonce.
CREATE INDEX "transfer_attempts_nonce" ON "transfer_attempts" ("nonce_account", "blockhash") WHERE "nonce_account" IS NOT NULL;
