-- What the regular job removes is found without the records that are kept.
DROP INDEX "wallet_challenges_expires_at_idx";
CREATE INDEX "wallet_challenges_removable" ON "wallet_challenges" ("expires_at")
  WHERE "used_at" IS NULL OR "purpose" = 'recover';
CREATE INDEX "approvals_dead" ON "approvals" ("resolved_at") WHERE "state" = 'dead';
CREATE INDEX "delegations_never_authorized" ON "delegations" ("updated_at") WHERE "epoch" = 0;

-- The fee payer may also receive tokens: only SOL is a cost.
DROP INDEX "ledger_entries_sponsored";
CREATE INDEX "ledger_entries_sponsored" ON "ledger_entries" ("sponsored_id", "created_at") INCLUDE ("delta")
  WHERE "sponsored_id" IS NOT NULL AND "asset" = 'SOL';
