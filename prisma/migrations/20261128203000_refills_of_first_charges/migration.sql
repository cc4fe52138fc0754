-- The wallets whose refill makes a charge possible again: a first charge, too.
DROP INDEX "billing_subscriptions_past_due";
CREATE INDEX "billing_subscriptions_refillable" ON "billing_subscriptions" ("network", "id")
  WHERE status IN ('incomplete', 'past_due');
