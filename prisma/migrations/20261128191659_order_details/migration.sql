-- AlterTable
ALTER TABLE "payment_intents" ADD COLUMN     "order_details" JSONB;
