-- The feed of a marketplace: events of its sellers' payments. Events of their subscriptions and charges are not in the index: the
-- position of a reader does not move past them, so each page would read them again.
DROP INDEX "events_for_marketplaces";
CREATE INDEX "events_for_marketplaces" ON "events" ("receiver_account_id", "database_transaction", "sequence")
  WHERE "account_id" <> "receiver_account_id" AND "subject_kind" = 'payment';
