-- The due subscriptions are read from the index alone: in a large table each of their rows is on a page of its own.
DROP INDEX "billing_subscriptions_due";
CREATE INDEX "billing_subscriptions_due" ON "billing_subscriptions" ("network", "due_at") INCLUDE ("id")
  WHERE "due_at" IS NOT NULL;
