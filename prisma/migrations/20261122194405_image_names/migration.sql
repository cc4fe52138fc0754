-- An image is stored by its name, so another public address of the service does not break it. The URL of each image had
-- the name at its end.
ALTER TABLE "accounts" RENAME COLUMN "logo_url" TO "logo_name";
UPDATE "accounts" SET "logo_name" = substring("logo_name" FROM '/images/([0-9a-f]{64}\.(?:png|jpeg|webp))$')
WHERE "logo_name" IS NOT NULL;
ALTER TABLE "tokens" RENAME COLUMN "image_url" TO "image_name";
UPDATE "tokens" SET "image_name" = substring("image_name" FROM '/images/([0-9a-f]{64}\.(?:png|jpeg|webp))$')
WHERE "image_name" IS NOT NULL;
