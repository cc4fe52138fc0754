-- CreateTable
CREATE TABLE "marketplace_applications" (
    "account_id" UUID NOT NULL,
    "website" TEXT NOT NULL,
    "sells" TEXT NOT NULL,
    "expected_volume" TEXT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "reason" TEXT,

    CONSTRAINT "marketplace_applications_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "marketplace_applications_decided_at_applied_at_idx" ON "marketplace_applications"("decided_at", "applied_at");

-- AddForeignKey
ALTER TABLE "marketplace_applications" ADD CONSTRAINT "marketplace_applications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
