-- AlterTable
ALTER TABLE "payment_intents" ADD COLUMN     "metadata" JSONB;

-- CreateTable
CREATE TABLE "payment_metadata" (
    "entry" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "intent_id" UUID NOT NULL,

    CONSTRAINT "payment_metadata_pkey" PRIMARY KEY ("entry","created_at","intent_id")
);
