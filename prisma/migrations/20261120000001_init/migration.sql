-- CreateEnum
CREATE TYPE "network_name" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "intent_status" AS ENUM ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'swept', 'refunding', 'refunded', 'cancelled', 'settle_failed', 'refund_failed');

-- CreateEnum
CREATE TYPE "deposit_state" AS ENUM ('confirmed', 'final', 'dropped');

-- CreateEnum
CREATE TYPE "deposit_use" AS ENUM ('applied', 'wrong_asset', 'late', 'held');

-- CreateEnum
CREATE TYPE "transfer_kind" AS ENUM ('sweep', 'refund', 'rent', 'charge');

-- CreateEnum
CREATE TYPE "transfer_status" AS ENUM ('planned', 'in_progress', 'done', 'failed', 'held');

-- CreateEnum
CREATE TYPE "leg_role" AS ENUM ('seller', 'merchant', 'marketplace', 'platform', 'refund', 'network_fee');

-- CreateEnum
CREATE TYPE "attempt_state" AS ENUM ('prepared', 'signed', 'sent', 'seen', 'unknown', 'final_ok', 'final_err', 'dead');

-- CreateEnum
CREATE TYPE "ledger_kind" AS ENUM ('deposit', 'sweep', 'refund', 'rent', 'charge', 'fee', 'other');

-- CreateEnum
CREATE TYPE "marketplace_status" AS ENUM ('active', 'disabled');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'succeeded', 'failed');

-- CreateTable
CREATE TABLE "networks" (
    "name" "network_name" NOT NULL,
    "genesis_hash" TEXT NOT NULL,
    "seed_fingerprint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "networks_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "settings" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "settings_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "name" TEXT NOT NULL,
    "label" TEXT,
    "sweep_destination" TEXT,
    "derivation_index" SERIAL NOT NULL,
    "webhook_secret_version" INTEGER NOT NULL DEFAULT 1,
    "webhook_secret_rotated_at" TIMESTAMPTZ(3),
    "marketplace_account_id" UUID,
    "external_id" TEXT,
    "description" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "logo_url" TEXT,
    "marketplace_fee_bps" INTEGER,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "marketplaces" (
    "account_id" UUID NOT NULL,
    "status" "marketplace_status" NOT NULL DEFAULT 'active',
    "default_fee_bps" INTEGER NOT NULL DEFAULT 0,
    "fee_wallet" TEXT,
    "seller_limit" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "marketplaces_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "network" "network_name" NOT NULL,
    "asset" TEXT NOT NULL,
    "mint" TEXT NOT NULL,
    "is_native" BOOLEAN NOT NULL,
    "name" TEXT NOT NULL,
    "ticker" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "token_program" TEXT,
    "extensions" TEXT[],
    "feed_key" TEXT NOT NULL,
    "image_url" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("network","asset")
);

-- CreateTable
CREATE TABLE "payment_intents" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "caller_account_id" UUID NOT NULL,
    "derivation_index" SERIAL NOT NULL,
    "address" TEXT NOT NULL,
    "client_secret_hash" BYTEA NOT NULL,
    "price_usd_cents" BIGINT NOT NULL,
    "accepted_assets" TEXT[],
    "asset" TEXT,
    "asset_decimals" INTEGER,
    "expected_amount" DECIMAL(20,0),
    "received_amount" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "status" "intent_status" NOT NULL DEFAULT 'pending',
    "status_reason" TEXT,
    "reference" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "refund_sender" TEXT,
    "marketplace_fee_bps" INTEGER,
    "payee_label" TEXT NOT NULL,
    "customer_details" JSONB,
    "settlement" JSONB,
    "token_refunds" JSONB NOT NULL DEFAULT '[]',
    "late_payments" JSONB NOT NULL DEFAULT '[]',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_intents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deposits" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "network" "network_name" NOT NULL,
    "intent_id" UUID NOT NULL,
    "account" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "signature" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "block_time" TIMESTAMPTZ(3),
    "senders" JSONB NOT NULL,
    "state" "deposit_state" NOT NULL DEFAULT 'confirmed',
    "use" "deposit_use" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "final_at" TIMESTAMPTZ(3),

    CONSTRAINT "deposits_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "network" "network_name" NOT NULL,
    "address" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "delta" DECIMAL(21,0) NOT NULL,
    "signature" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "kind" "ledger_kind" NOT NULL,
    "intent_id" UUID,
    "transfer_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "transfers" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "key" TEXT NOT NULL,
    "network" "network_name" NOT NULL,
    "kind" "transfer_kind" NOT NULL,
    "account_id" UUID NOT NULL,
    "intent_id" UUID,
    "source" TEXT NOT NULL,
    "source_account_index" INTEGER NOT NULL,
    "source_intent_index" INTEGER NOT NULL,
    "asset" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "token_program" TEXT,
    "round" INTEGER NOT NULL DEFAULT 1,
    "status" "transfer_status" NOT NULL DEFAULT 'planned',
    "reason" TEXT,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "fence" BIGINT NOT NULL DEFAULT 0,
    "signature" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "done_at" TIMESTAMPTZ(3),

    CONSTRAINT "transfers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "transfer_legs" (
    "transfer_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "role" "leg_role" NOT NULL,
    "destination" TEXT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "fee_bps" INTEGER,
    "moved_amount" DECIMAL(20,0),

    CONSTRAINT "transfer_legs_pkey" PRIMARY KEY ("transfer_id","position")
);

-- CreateTable
CREATE TABLE "transfer_attempts" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "transfer_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "state" "attempt_state" NOT NULL DEFAULT 'prepared',
    "source" TEXT NOT NULL,
    "message" BYTEA NOT NULL,
    "harvest_withheld" BOOLEAN NOT NULL DEFAULT false,
    "wire" BYTEA,
    "signature" TEXT,
    "blockhash" TEXT NOT NULL,
    "last_valid_block_height" BIGINT NOT NULL,
    "known_signature" TEXT NOT NULL,
    "fence" BIGINT NOT NULL,
    "slot" BIGINT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "transfer_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "sequence" BIGSERIAL NOT NULL,
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "intent_id" UUID,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "event_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "fence" BIGINT NOT NULL DEFAULT 0,
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workers" (
    "id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "leases" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "leases_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_derivation_index_key" ON "accounts"("derivation_index");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_marketplace_account_id_external_id_key" ON "accounts"("marketplace_account_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_idx" ON "api_keys"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "payment_intents_derivation_index_key" ON "payment_intents"("derivation_index");

-- CreateIndex
CREATE UNIQUE INDEX "payment_intents_address_key" ON "payment_intents"("address");

-- CreateIndex
CREATE UNIQUE INDEX "payment_intents_client_secret_hash_key" ON "payment_intents"("client_secret_hash");

-- CreateIndex
CREATE INDEX "payment_intents_account_id_created_at_id_idx" ON "payment_intents"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "payment_intents_caller_account_id_created_at_id_idx" ON "payment_intents"("caller_account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "payment_intents_caller_account_id_reference_key" ON "payment_intents"("caller_account_id", "reference");

-- CreateIndex
CREATE INDEX "deposits_intent_id_idx" ON "deposits"("intent_id");

-- CreateIndex
CREATE UNIQUE INDEX "deposits_signature_account_asset_key" ON "deposits"("signature", "account", "asset");

-- CreateIndex
CREATE INDEX "ledger_entries_address_asset_idx" ON "ledger_entries"("address", "asset");

-- CreateIndex
CREATE INDEX "ledger_entries_intent_id_idx" ON "ledger_entries"("intent_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entries_signature_account_asset_key" ON "ledger_entries"("signature", "account", "asset");

-- CreateIndex
CREATE UNIQUE INDEX "transfers_key_key" ON "transfers"("key");

-- CreateIndex
CREATE INDEX "transfers_intent_id_idx" ON "transfers"("intent_id");

-- CreateIndex
CREATE UNIQUE INDEX "transfer_attempts_signature_key" ON "transfer_attempts"("signature");

-- CreateIndex
CREATE UNIQUE INDEX "transfer_attempts_transfer_id_number_key" ON "transfer_attempts"("transfer_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "events_sequence_key" ON "events"("sequence");

-- CreateIndex
CREATE INDEX "events_account_id_sequence_idx" ON "events"("account_id", "sequence");

-- CreateIndex
CREATE INDEX "events_intent_id_idx" ON "events"("intent_id");

-- CreateIndex
CREATE INDEX "webhook_endpoints_account_id_idx" ON "webhook_endpoints"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_event_id_endpoint_id_key" ON "webhook_deliveries"("event_id", "endpoint_id");

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_marketplace_account_id_fkey" FOREIGN KEY ("marketplace_account_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "marketplaces" ADD CONSTRAINT "marketplaces_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_intents" ADD CONSTRAINT "payment_intents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payment_intents" ADD CONSTRAINT "payment_intents_caller_account_id_fkey" FOREIGN KEY ("caller_account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transfer_legs" ADD CONSTRAINT "transfer_legs_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transfer_attempts" ADD CONSTRAINT "transfer_attempts_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

