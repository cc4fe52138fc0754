-- AlterTable
ALTER TABLE "delegations" ADD COLUMN     "version" INTEGER NOT NULL DEFAULT 1;
