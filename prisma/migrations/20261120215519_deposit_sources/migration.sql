-- CreateEnum
CREATE TYPE "deposit_source_kind" AS ENUM ('polling', 'blocks');

-- CreateTable
CREATE TABLE "deposit_sources" (
    "network" "network_name" NOT NULL,
    "source" "deposit_source_kind" NOT NULL,
    "reason" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "slot" BIGINT,
    "blockhash" TEXT,
    "saved_at" TIMESTAMPTZ(3),
    "polling_calls" INTEGER NOT NULL,
    "block_calls" INTEGER NOT NULL,

    CONSTRAINT "deposit_sources_pkey" PRIMARY KEY ("network")
);

ALTER TABLE "deposit_sources" ADD CONSTRAINT "a_cursor_is_whole" CHECK (
  ("slot" IS NULL) = ("blockhash" IS NULL) AND ("slot" IS NULL) = ("saved_at" IS NULL)
);

-- Payments that ended lately, without reading all that ever did.
CREATE INDEX "payment_intents_ended" ON "payment_intents" ("network", "updated_at")
  WHERE "status" NOT IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding');
