-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "accent_color" TEXT,
ADD COLUMN     "support_email" TEXT,
ADD COLUMN     "support_url" TEXT;
