-- CreateTable
CREATE TABLE "subscription_products" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "external_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_products_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription_tiers" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "product_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "price_usd_cents" BIGINT NOT NULL,
    "interval" TEXT NOT NULL,
    "interval_count" INTEGER NOT NULL,
    "authorization_periods" INTEGER NOT NULL,
    "mint" TEXT NOT NULL,
    "token_program" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "unit_base_units" DECIMAL(20,0) NOT NULL,
    "payout_owner" TEXT NOT NULL,
    "payout_ata" TEXT NOT NULL,
    "platform_fee_bps" INTEGER NOT NULL,
    "platform_wallet" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscription_tiers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "redirect_domains" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "redirect_domains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "subscription_intents" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "tier_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'open',
    "token_hash" BYTEA NOT NULL,
    "subscriber_wallet" TEXT,
    "wallet_pinned" BOOLEAN NOT NULL,
    "success_url" TEXT,
    "cancel_url" TEXT,
    "subscription_id" UUID,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),

    CONSTRAINT "subscription_intents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delegations" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "wallet" TEXT NOT NULL,
    "mint" TEXT NOT NULL,
    "token_program" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "token_account" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "authorized_total" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "chain_delegate" TEXT,
    "chain_allowance" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "chain_slot" BIGINT,
    "chain_checked_at" TIMESTAMPTZ(3),
    "cleared_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "delegations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "billing_subscriptions" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "receiver_account_id" UUID NOT NULL,
    "tier_id" UUID NOT NULL,
    "intent_id" UUID NOT NULL,
    "delegation_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "subscriber_wallet" TEXT NOT NULL,
    "mint" TEXT NOT NULL,
    "unit_amount" DECIMAL(20,0) NOT NULL,
    "periods" INTEGER NOT NULL,
    "authorized_amount" DECIMAL(20,0) NOT NULL,
    "spent_amount" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "delegation_epoch" INTEGER NOT NULL,
    "interval" TEXT NOT NULL,
    "interval_count" INTEGER NOT NULL,
    "anchor" TIMESTAMPTZ(3),
    "anchor_period" INTEGER NOT NULL DEFAULT 0,
    "period_index" INTEGER NOT NULL DEFAULT 0,
    "current_period_start" TIMESTAMPTZ(3),
    "current_period_end" TIMESTAMPTZ(3),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "past_due_since" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "approve_signature" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "activated_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "billing_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "charges" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "subscription_id" UUID NOT NULL,
    "period_index" INTEGER NOT NULL,
    "period_start" TIMESTAMPTZ(3) NOT NULL,
    "period_end" TIMESTAMPTZ(3),
    "delegation_epoch" INTEGER NOT NULL,
    "mint" TEXT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "fee_amount" DECIMAL(20,0) NOT NULL,
    "net_amount" DECIMAL(20,0) NOT NULL,
    "destination_ata" TEXT NOT NULL,
    "fee_destination" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "signature" TEXT,
    "failure_code" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "first_failed_at" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "charges_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approvals" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "delegation_id" UUID NOT NULL,
    "intent_id" UUID,
    "subscription_id" UUID NOT NULL,
    "subscription_version" INTEGER,
    "terms" JSONB NOT NULL,
    "total" DECIMAL(20,0) NOT NULL,
    "message" BYTEA NOT NULL,
    "fee_payer_signature" TEXT NOT NULL,
    "wire" BYTEA,
    "blockhash" TEXT NOT NULL,
    "last_valid_block_height" BIGINT NOT NULL,
    "known_signature" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'prepared',
    "spend_cost" BIGINT NOT NULL,
    "slot" BIGINT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wallet_challenges" (
    "nonce_hash" BYTEA NOT NULL,
    "network" "network_name" NOT NULL,
    "purpose" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "subject_id" UUID,
    "token_hash" BYTEA,
    "message" TEXT NOT NULL,
    "terms_hash" BYTEA,
    "terms" JSONB NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "signature" BYTEA,
    "signed_message" BYTEA,

    CONSTRAINT "wallet_challenges_pkey" PRIMARY KEY ("nonce_hash")
);

-- CreateTable
CREATE TABLE "portal_sessions" (
    "token_hash" BYTEA NOT NULL,
    "subscription_id" UUID NOT NULL,
    "origin" TEXT NOT NULL,
    "may_increase" BOOLEAN NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "portal_sessions_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "nonce_accounts" (
    "network" "network_name" NOT NULL,
    "index" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'creating',
    "transfer_id" UUID,
    "signature" TEXT,
    "last_valid_block_height" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "nonce_accounts_pkey" PRIMARY KEY ("network","index")
);

-- CreateIndex
CREATE INDEX "subscription_products_account_id_created_at_id_idx" ON "subscription_products"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "subscription_products_account_id_external_id_key" ON "subscription_products"("account_id", "external_id");

-- CreateIndex
CREATE INDEX "subscription_tiers_product_id_created_at_id_idx" ON "subscription_tiers"("product_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscription_tiers_account_id_idx" ON "subscription_tiers"("account_id");

-- CreateIndex
CREATE INDEX "redirect_domains_account_id_created_at_id_idx" ON "redirect_domains"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "redirect_domains_account_id_host_key" ON "redirect_domains"("account_id", "host");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_intents_token_hash_key" ON "subscription_intents"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "subscription_intents_subscription_id_key" ON "subscription_intents"("subscription_id");

-- CreateIndex
CREATE INDEX "subscription_intents_account_id_created_at_id_idx" ON "subscription_intents"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "subscription_intents_tier_id_idx" ON "subscription_intents"("tier_id");

-- CreateIndex
CREATE INDEX "delegations_network_chain_checked_at_idx" ON "delegations"("network", "chain_checked_at");

-- CreateIndex
CREATE UNIQUE INDEX "delegations_network_wallet_mint_key" ON "delegations"("network", "wallet", "mint");

-- CreateIndex
CREATE UNIQUE INDEX "billing_subscriptions_intent_id_key" ON "billing_subscriptions"("intent_id");

-- CreateIndex
CREATE INDEX "billing_subscriptions_account_id_created_at_id_idx" ON "billing_subscriptions"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "billing_subscriptions_tier_id_idx" ON "billing_subscriptions"("tier_id");

-- CreateIndex
CREATE INDEX "billing_subscriptions_delegation_id_idx" ON "billing_subscriptions"("delegation_id");

-- CreateIndex
CREATE INDEX "billing_subscriptions_subscriber_wallet_idx" ON "billing_subscriptions"("subscriber_wallet");

-- CreateIndex
CREATE INDEX "charges_account_id_created_at_idx" ON "charges"("account_id", "created_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "charges_subscription_id_period_index_key" ON "charges"("subscription_id", "period_index");

-- CreateIndex
CREATE UNIQUE INDEX "approvals_fee_payer_signature_key" ON "approvals"("fee_payer_signature");

-- CreateIndex
CREATE INDEX "approvals_intent_id_idx" ON "approvals"("intent_id");

-- CreateIndex
CREATE INDEX "approvals_subscription_id_idx" ON "approvals"("subscription_id");

-- CreateIndex
CREATE INDEX "wallet_challenges_wallet_created_at_idx" ON "wallet_challenges"("wallet", "created_at");

-- CreateIndex
CREATE INDEX "wallet_challenges_expires_at_idx" ON "wallet_challenges"("expires_at");

-- CreateIndex
CREATE INDEX "portal_sessions_subscription_id_idx" ON "portal_sessions"("subscription_id");

-- CreateIndex
CREATE INDEX "portal_sessions_expires_at_idx" ON "portal_sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "nonce_accounts_address_key" ON "nonce_accounts"("address");

-- CreateIndex
CREATE UNIQUE INDEX "nonce_accounts_transfer_id_key" ON "nonce_accounts"("transfer_id");

-- AddForeignKey
ALTER TABLE "subscription_products" ADD CONSTRAINT "subscription_products_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_tiers" ADD CONSTRAINT "subscription_tiers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_tiers" ADD CONSTRAINT "subscription_tiers_product_id_fkey" FOREIGN KEY ("product_id") REFERENCES "subscription_products"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "redirect_domains" ADD CONSTRAINT "redirect_domains_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_intents" ADD CONSTRAINT "subscription_intents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscription_intents" ADD CONSTRAINT "subscription_intents_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "subscription_tiers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "subscription_tiers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "subscription_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_delegation_id_fkey" FOREIGN KEY ("delegation_id") REFERENCES "delegations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "charges" ADD CONSTRAINT "charges_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "billing_subscriptions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_delegation_id_fkey" FOREIGN KEY ("delegation_id") REFERENCES "delegations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "subscription_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "portal_sessions" ADD CONSTRAINT "portal_sessions_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "billing_subscriptions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A charge of a subscription that may still move money excludes every other one.
CREATE UNIQUE INDEX "charges_open" ON "charges" ("subscription_id") WHERE status IN ('pending', 'submitted', 'failed');
ALTER TABLE "charges"
  ADD CONSTRAINT "charges_status" CHECK (status IN ('pending', 'submitted', 'succeeded', 'failed', 'canceled')),
  ADD CONSTRAINT "charges_amounts" CHECK (amount > 0 AND amount <= 18446744073709551615 AND fee_amount >= 0
    AND net_amount >= 0 AND fee_amount + net_amount = amount);

-- A subscription never pulls more than its consent.
ALTER TABLE "billing_subscriptions"
  ADD CONSTRAINT "billing_subscriptions_status" CHECK (status IN ('incomplete', 'active', 'renewal_required', 'past_due',
    'paused', 'canceled', 'revoked', 'exhausted', 'failed')),
  ADD CONSTRAINT "billing_subscriptions_slice" CHECK (unit_amount > 0 AND spent_amount >= 0
    AND spent_amount <= authorized_amount AND authorized_amount <= 18446744073709551615);
CREATE INDEX "billing_subscriptions_due" ON "billing_subscriptions" ("network", "due_at") WHERE due_at IS NOT NULL;
-- The wallets whose refill makes a charge possible again.
CREATE INDEX "billing_subscriptions_past_due" ON "billing_subscriptions" ("network", "past_due_since")
  WHERE status = 'past_due';

ALTER TABLE "subscription_intents"
  ADD CONSTRAINT "subscription_intents_status" CHECK (status IN ('open', 'completed', 'canceled'));
ALTER TABLE "subscription_tiers"
  ADD CONSTRAINT "subscription_tiers_interval" CHECK (interval IN ('day', 'week', 'month', 'year') AND interval_count > 0),
  ADD CONSTRAINT "subscription_tiers_amounts" CHECK (price_usd_cents > 0 AND authorization_periods > 0
    AND unit_base_units > 0 AND unit_base_units * authorization_periods <= 18446744073709551615);

ALTER TABLE "delegations"
  ADD CONSTRAINT "delegations_status" CHECK (status IN ('pending', 'active', 'exhausted', 'revoked', 'replaced', 'cleared'));

-- Two approves in flight would overwrite each other: a delegation has one that may still land.
ALTER TABLE "approvals"
  ADD CONSTRAINT "approvals_state" CHECK (state IN ('prepared', 'sent', 'final_ok', 'final_err', 'dead'));
CREATE UNIQUE INDEX "approvals_live" ON "approvals" ("delegation_id") WHERE state IN ('prepared', 'sent');
CREATE INDEX "approvals_watched" ON "approvals" ("network", "created_at") WHERE state IN ('prepared', 'sent');
CREATE INDEX "approvals_spent" ON "approvals" ("network", "created_at") WHERE state <> 'dead';
