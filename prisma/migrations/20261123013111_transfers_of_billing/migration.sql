-- Every decision about a subscription reads the transfer of its latest charge, and the pool of nonces reads its creations. Payments
-- find theirs by their own column, and need no entry here.
CREATE INDEX "transfers_of_billing" ON "transfers" ("subject_kind", "subject_id") WHERE "subject_kind" IN ('charge', 'nonce');
