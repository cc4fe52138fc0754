-- The event log of a business, in its order. An entry for the feed of a marketplace alone is no event of the log.
CREATE INDEX "events_of_log" ON "events" ("receiver_account_id", "database_transaction", "sequence")
  WHERE "type" <> 'intent.updated';
