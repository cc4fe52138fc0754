-- The event log of a business for a reader of one type, in its order.
CREATE INDEX "events_of_log_by_type" ON "events" ("receiver_account_id", "type", "database_transaction", "sequence")
  WHERE "type" <> 'intent.updated';
