-- AlterTable
ALTER TABLE "transfer_attempts" ADD COLUMN     "refund_cost" BIGINT;

-- What refunds took from the fee payer in the last day, read without the entries of everything else that it paid for.
CREATE INDEX "ledger_entries_refunds" ON "ledger_entries" ("address", "created_at")
  INCLUDE ("kind", "delta", "transfer_id") WHERE "asset" = 'SOL' AND "kind" IN ('refund', 'fee');
