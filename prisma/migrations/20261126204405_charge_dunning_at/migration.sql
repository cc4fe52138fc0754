-- AlterTable
ALTER TABLE "charges" ADD COLUMN     "dunning_at" TIMESTAMPTZ(3);
