-- AlterTable
ALTER TABLE "charges" ADD COLUMN     "retry_from" TIMESTAMPTZ(3);
