-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "claimed_by" UUID;
