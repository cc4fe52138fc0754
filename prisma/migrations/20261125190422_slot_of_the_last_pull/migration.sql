-- AlterTable
ALTER TABLE "delegations" ADD COLUMN     "pulled_slot" BIGINT;
