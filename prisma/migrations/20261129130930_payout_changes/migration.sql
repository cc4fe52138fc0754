-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "payout_version" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "payout_changes" (
    "account_id" UUID NOT NULL,
    "destination" TEXT,
    "requested_by" JSONB NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payout_changes_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "payout_changes_effective_at_idx" ON "payout_changes"("effective_at");

-- AddForeignKey
ALTER TABLE "payout_changes" ADD CONSTRAINT "payout_changes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
