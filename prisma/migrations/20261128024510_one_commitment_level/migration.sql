-- AlterTable
ALTER TABLE "deposits" DROP COLUMN "final_at",
DROP COLUMN "final_version",
DROP COLUMN "state";

-- DropEnum
DROP TYPE "deposit_state";
