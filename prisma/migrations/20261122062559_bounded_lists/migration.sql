-- AlterTable
ALTER TABLE "payment_intents" ADD COLUMN     "list_totals" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "refunds" JSONB NOT NULL DEFAULT '[]';
