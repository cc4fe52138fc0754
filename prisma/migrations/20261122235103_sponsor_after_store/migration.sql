-- AlterTable
ALTER TABLE "approvals" ALTER COLUMN "fee_payer_signature" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "approvals_delegation_id_created_at_idx" ON "approvals"("delegation_id", "created_at");
