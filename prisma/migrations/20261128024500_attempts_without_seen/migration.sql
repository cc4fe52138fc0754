-- A transaction that is in a block and not final yet is still one that was sent.
DROP INDEX "transfer_attempts_live_transfer", "transfer_attempts_live_source", "transfer_attempts_live_nonce",
  "transfer_attempts_one_success";
ALTER TABLE "transfer_attempts" DROP CONSTRAINT "signed_means_stored";
ALTER TYPE "attempt_state" RENAME TO "attempt_state_with_seen";
CREATE TYPE "attempt_state" AS ENUM ('prepared', 'signed', 'sent', 'unknown', 'final_ok', 'final_err', 'dead');
ALTER TABLE "transfer_attempts"
  ALTER COLUMN "state" DROP DEFAULT,
  ALTER COLUMN "state" TYPE "attempt_state" USING ("state"::text::"attempt_state"),
  ALTER COLUMN "state" SET DEFAULT 'prepared',
  ADD CONSTRAINT "signed_means_stored" CHECK (
    "state" IN ('prepared', 'dead') OR ("wire" IS NOT NULL AND "signature" IS NOT NULL));
DROP TYPE "attempt_state_with_seen";
CREATE UNIQUE INDEX "transfer_attempts_live_transfer" ON "transfer_attempts" ("transfer_id")
  WHERE "state" IN ('prepared', 'signed', 'sent', 'unknown');
CREATE UNIQUE INDEX "transfer_attempts_live_source" ON "transfer_attempts" ("source")
  WHERE "state" IN ('prepared', 'signed', 'sent', 'unknown');
CREATE UNIQUE INDEX "transfer_attempts_live_nonce" ON "transfer_attempts" ("nonce_account")
  WHERE "nonce_account" IS NOT NULL AND "state" IN ('prepared', 'signed', 'sent', 'unknown');
CREATE UNIQUE INDEX "transfer_attempts_one_success" ON "transfer_attempts" ("transfer_id") WHERE "state" = 'final_ok';
