-- The charges whose final transaction moved another amount than their legs: hardly any.
CREATE INDEX "transfers_that_differ" ON "transfers" ("done_at")
  WHERE kind = 'charge' AND status = 'done' AND reason IS NOT NULL;
