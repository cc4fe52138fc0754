-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "accepted_assets" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "cancel_url" TEXT,
ADD COLUMN     "success_url" TEXT;
