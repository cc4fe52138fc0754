-- AlterTable
ALTER TABLE "billing_subscriptions" ADD COLUMN     "stopped_by" TEXT;
