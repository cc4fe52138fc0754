-- AlterEnum
ALTER TYPE "ledger_kind" ADD VALUE 'release';

-- AlterEnum
ALTER TYPE "leg_role" ADD VALUE 'release';

-- AlterEnum
ALTER TYPE "transfer_kind" ADD VALUE 'release';

-- AlterTable
ALTER TABLE "payment_intents" ADD COLUMN     "held" JSONB NOT NULL DEFAULT '[]';

-- CreateTable
CREATE TABLE "releases" (
    "transfer_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "released_by" TEXT NOT NULL DEFAULT 'operator',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "releases_pkey" PRIMARY KEY ("transfer_id")
);

-- AddForeignKey
ALTER TABLE "releases" ADD CONSTRAINT "releases_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What waits for a person, without reading what does not.
CREATE INDEX "payment_intents_held" ON "payment_intents" ("updated_at") WHERE "held" <> '[]';
