-- A transfer takes only money that was final when it was planned. Of older money the version is not known; the version that first
-- had it is the one that counted until now.

-- AlterTable
ALTER TABLE "deposits" ADD COLUMN     "final_version" INTEGER;

UPDATE "deposits" SET "final_version" = "seen_version" WHERE "state" = 'final';
