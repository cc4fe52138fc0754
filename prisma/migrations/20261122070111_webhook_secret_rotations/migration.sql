-- Every rotation whose older secret may still sign, and not only the last one.
ALTER TABLE "accounts" ADD COLUMN "webhook_secret_rotations" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];

UPDATE "accounts" SET "webhook_secret_rotations" = ARRAY["webhook_secret_rotated_at"]
WHERE "webhook_secret_rotated_at" IS NOT NULL;

ALTER TABLE "accounts" DROP COLUMN "webhook_secret_rotated_at";
