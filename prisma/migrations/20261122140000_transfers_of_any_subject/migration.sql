-- A transfer is for a subject that a room registers: a payment, the rent of a token account, and whatever comes.
DROP TRIGGER "obligations_are_fixed" ON "transfers";
DROP INDEX "ledger_entries_refunds";

-- Kinds and roles are words of the subjects'.
ALTER TABLE "transfers" ALTER COLUMN "kind" TYPE TEXT USING "kind"::text;
ALTER TABLE "transfer_legs" ALTER COLUMN "role" TYPE TEXT USING "role"::text;
ALTER TABLE "ledger_entries" ALTER COLUMN "kind" TYPE TEXT USING "kind"::text;
DROP TYPE "transfer_kind";
DROP TYPE "leg_role";
DROP TYPE "ledger_kind";

ALTER TABLE "transfers"
  ADD COLUMN "subject_kind" TEXT,
  ADD COLUMN "subject_id" UUID,
  ADD COLUMN "authority" TEXT,
  ADD COLUMN "authority_key" TEXT;
UPDATE "transfers" SET "subject_kind" = CASE WHEN "kind" = 'rent' THEN 'rent' ELSE 'payment' END,
  "subject_id" = "intent_id", "authority" = "source",
  "authority_key" = 'deposit/' || "source_account_index" || '/' || "source_intent_index";
ALTER TABLE "transfers"
  ALTER COLUMN "subject_kind" SET NOT NULL,
  ALTER COLUMN "subject_id" SET NOT NULL,
  ALTER COLUMN "authority" SET NOT NULL,
  ALTER COLUMN "authority_key" SET NOT NULL,
  DROP COLUMN "source_account_index",
  DROP COLUMN "source_intent_index",
  ADD CONSTRAINT "payments_are_their_own_subject" CHECK (
    CASE WHEN "subject_kind" IN ('payment', 'rent') THEN coalesce("intent_id" = "subject_id", false) ELSE "intent_id" IS NULL END);

-- Each kind is claimed by itself.
DROP INDEX "transfers_due";
CREATE INDEX "transfers_due" ON "transfers" ("network", "kind", "next_attempt_at")
  WHERE "status" IN ('planned', 'in_progress');

CREATE TRIGGER "obligations_are_fixed" BEFORE UPDATE ON "transfers"
  FOR EACH ROW
  WHEN (
    (NEW."id", NEW."key", NEW."network", NEW."subject_kind", NEW."subject_id", NEW."kind", NEW."account_id",
      NEW."intent_id", NEW."source", NEW."authority", NEW."authority_key", NEW."asset", NEW."decimals",
      NEW."token_program", NEW."round", NEW."portion")
    IS DISTINCT FROM
    (OLD."id", OLD."key", OLD."network", OLD."subject_kind", OLD."subject_id", OLD."kind", OLD."account_id",
      OLD."intent_id", OLD."source", OLD."authority", OLD."authority_key", OLD."asset", OLD."decimals",
      OLD."token_program", OLD."round", OLD."portion")
  )
  EXECUTE FUNCTION "obligations_are_fixed"();

-- An attempt lives by a blockhash or by a durable nonce. Two attempts that may land never share a nonce.
ALTER TABLE "transfer_attempts"
  ALTER COLUMN "last_valid_block_height" DROP NOT NULL,
  ADD COLUMN "nonce_account" TEXT,
  ADD COLUMN "nonce_slot" BIGINT,
  ADD COLUMN "nonce_authority" TEXT,
  ADD COLUMN "nonce_authority_key" TEXT,
  ADD CONSTRAINT "one_lifetime" CHECK (
    CASE WHEN "last_valid_block_height" IS NULL
      THEN num_nulls("nonce_account", "nonce_slot", "nonce_authority", "nonce_authority_key") = 0
      ELSE num_nonnulls("nonce_account", "nonce_slot", "nonce_authority", "nonce_authority_key") = 0 END);
CREATE UNIQUE INDEX "transfer_attempts_live_nonce" ON "transfer_attempts" ("nonce_account")
  WHERE "nonce_account" IS NOT NULL AND "state" IN ('prepared', 'signed', 'sent', 'seen', 'unknown');

-- Any kind may have a budget.
ALTER TABLE "transfer_attempts" RENAME COLUMN "refund_cost" TO "spend_cost";
ALTER TABLE "ledger_entries" RENAME COLUMN "intent_id" TO "subject_id";
ALTER INDEX "ledger_entries_intent_id_idx" RENAME TO "ledger_entries_subject_id_idx";

-- What transfers of a kind took from the fee payer in the last day, read without what nobody outside can cause.
CREATE INDEX "ledger_entries_spend" ON "ledger_entries" ("address", "created_at")
  INCLUDE ("kind", "delta", "transfer_id") WHERE "asset" = 'SOL' AND "kind" NOT IN ('deposit', 'sweep');
