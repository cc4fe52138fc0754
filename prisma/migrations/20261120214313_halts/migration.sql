-- CreateEnum
CREATE TYPE "halt_end" AS ENUM ('reconciled', 'operator');

-- CreateTable
CREATE TABLE "halts" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "network" "network_name" NOT NULL,
    "address" TEXT NOT NULL,
    "intent_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "faults" JSONB NOT NULL,
    "halted_at" TIMESTAMPTZ(3) NOT NULL,
    "cleared_at" TIMESTAMPTZ(3),
    "cleared_by" "halt_end",
    "cleared_reason" TEXT,

    CONSTRAINT "halts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "halts_intent_id_idx" ON "halts"("intent_id");

-- AddForeignKey
ALTER TABLE "halts" ADD CONSTRAINT "halts_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- At most one open halt for an address, and found at once before anything is sent from it.
CREATE UNIQUE INDEX "halts_open" ON "halts" ("address") WHERE "cleared_at" IS NULL;
ALTER TABLE "halts" ADD CONSTRAINT "a_cleared_halt_says_by_whom" CHECK (("cleared_at" IS NULL) = ("cleared_by" IS NULL));
