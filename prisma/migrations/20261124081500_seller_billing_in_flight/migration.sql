-- What archiving a seller asks for, too: its subscriptions that have not ended. The index has no ended subscription.
CREATE INDEX "billing_subscriptions_not_ended" ON "billing_subscriptions" ("account_id", "created_at" DESC, "id" DESC)
  WHERE status NOT IN ('canceled', 'failed');
