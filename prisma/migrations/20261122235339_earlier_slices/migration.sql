-- AlterTable
ALTER TABLE "billing_subscriptions" ADD COLUMN     "earlier_amount" DECIMAL(20,0) NOT NULL DEFAULT 0;

UPDATE "billing_subscriptions" SET "earlier_amount" = charged.amount - "billing_subscriptions"."spent_amount"
FROM (SELECT subscription_id, sum(amount) AS amount FROM charges WHERE status = 'succeeded' GROUP BY subscription_id) charged
WHERE charged.subscription_id = "billing_subscriptions"."id";
