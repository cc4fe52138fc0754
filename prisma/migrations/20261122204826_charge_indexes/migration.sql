-- What a schema file cannot say.
-- Charges that paid for a token account of a business: few, and looked for when another one is missing.
CREATE INDEX "ledger_entries_charge_rent" ON "ledger_entries" ("created_at")
  WHERE kind = 'charge' AND asset = 'SOL' AND delta < -1200000;

-- The delegations that are read from the chain, the oldest reading first.
CREATE INDEX "delegations_stale" ON "delegations" ("network", "chain_checked_at") WHERE status IN ('active', 'exhausted');
