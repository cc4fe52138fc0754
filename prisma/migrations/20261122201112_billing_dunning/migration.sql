-- AlterTable
ALTER TABLE "billing_subscriptions" ADD COLUMN     "dunning_attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "next_charge_at" TIMESTAMPTZ(3),
ADD COLUMN     "next_charge_period" INTEGER NOT NULL DEFAULT 0;
