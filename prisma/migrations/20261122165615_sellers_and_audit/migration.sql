-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "search_parts" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "search_text" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "marketplace_audit" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "position" BIGSERIAL NOT NULL,
    "marketplace_account_id" UUID NOT NULL,
    "seller_account_id" UUID,
    "action" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_credential" TEXT,
    "actor_ip" TEXT,
    "changes" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "marketplace_audit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "marketplace_audit_marketplace_account_id_position_idx" ON "marketplace_audit"("marketplace_account_id", "position" DESC);

-- CreateIndex
CREATE INDEX "marketplace_audit_marketplace_account_id_action_position_idx" ON "marketplace_audit"("marketplace_account_id", "action", "position" DESC);

-- CreateIndex
CREATE INDEX "marketplace_audit_seller_account_id_position_idx" ON "marketplace_audit"("seller_account_id", "position" DESC);

-- CreateIndex
CREATE INDEX "accounts_marketplace_account_id_created_at_id_idx" ON "accounts"("marketplace_account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "accounts_search_parts_idx" ON "accounts" USING GIN ("search_parts");

-- AddForeignKey
ALTER TABLE "marketplace_audit" ADD CONSTRAINT "marketplace_audit_marketplace_account_id_fkey" FOREIGN KEY ("marketplace_account_id") REFERENCES "marketplaces"("account_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "marketplace_audit" ADD CONSTRAINT "marketplace_audit_seller_account_id_fkey" FOREIGN KEY ("seller_account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The audit trail is only ever added to.
CREATE FUNCTION "audit_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed or removed';
END $$;
CREATE TRIGGER "audit_is_append_only" BEFORE UPDATE OR DELETE ON "marketplace_audit"
  FOR EACH ROW EXECUTE FUNCTION "audit_is_append_only"();
CREATE TRIGGER "audit_is_never_emptied" BEFORE TRUNCATE ON "marketplace_audit"
  FOR EACH STATEMENT EXECUTE FUNCTION "audit_is_append_only"();
