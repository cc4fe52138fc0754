-- AlterTable
ALTER TABLE "audit_log" ADD COLUMN     "actor_member_id" UUID;
