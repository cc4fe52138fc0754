-- The schema of the first version: what prisma/schema.prisma says, and then the rules that a schema file cannot say. Each of them
-- makes a mistake impossible rather than unlikely.

-- The ids that the database draws begin with the time, as those of the service do, so that a new row joins the last page of
-- an index by id. PostgreSQL has such ids from version 18 on; an older version draws random ids.
CREATE FUNCTION "time_ordered_uuid"() RETURNS UUID LANGUAGE sql VOLATILE AS 'SELECT gen_random_uuid()';
DO $$ BEGIN
  IF current_setting('server_version_num')::INT >= 180000 THEN
    CREATE OR REPLACE FUNCTION "time_ordered_uuid"() RETURNS UUID LANGUAGE sql VOLATILE AS 'SELECT uuidv7()';
  END IF;
END $$;

CREATE TYPE "network_name" AS ENUM ('live', 'test');
CREATE TYPE "intent_status" AS ENUM ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'swept', 'refunding', 'refunded', 'cancelled', 'settle_failed', 'refund_failed');
CREATE TYPE "deposit_use" AS ENUM ('applied', 'wrong_asset', 'late', 'unaccepted');
CREATE TYPE "transfer_portion" AS ENUM ('main', 'rent_reserve');
CREATE TYPE "transfer_status" AS ENUM ('planned', 'in_progress', 'done', 'failed', 'held');
CREATE TYPE "attempt_state" AS ENUM ('prepared', 'signed', 'sent', 'unknown', 'final_ok', 'final_err', 'dead');
CREATE TYPE "halt_end" AS ENUM ('reconciled', 'operator');
CREATE TYPE "deposit_source_kind" AS ENUM ('polling', 'blocks');
CREATE TYPE "marketplace_status" AS ENUM ('active', 'disabled');
CREATE TYPE "delivery_status" AS ENUM ('pending', 'succeeded', 'failed');
CREATE TYPE "stats_scope" AS ENUM ('payee', 'marketplace', 'charges');

CREATE TABLE "networks" (
    "name" "network_name" NOT NULL,
    "genesis_hash" TEXT NOT NULL,
    "seed_fingerprint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "networks_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "settings" (
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "settings_pkey" PRIMARY KEY ("key")
);

CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "name" TEXT NOT NULL,
    "label" TEXT,
    "sweep_destination" TEXT,
    "derivation_index" SERIAL NOT NULL,
    "marketplace_account_id" UUID,
    "external_id" TEXT,
    "description" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "logo_name" TEXT,
    "accent_color" TEXT,
    "support_url" TEXT,
    "support_email" TEXT,
    "marketplace_fee_bps" INTEGER,
    "archived_at" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "search_text" TEXT NOT NULL DEFAULT '',
    "search_parts" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "accepted_assets" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "cancel_url" TEXT,
    "underpayment_tolerance_bps" INTEGER NOT NULL DEFAULT 0,
    "success_url" TEXT,
    "payout_version" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

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

CREATE TABLE "seller_counts" (
    "marketplace_account_id" UUID NOT NULL,
    "total" INTEGER NOT NULL,
    "archived" INTEGER NOT NULL,
    CONSTRAINT "seller_counts_pkey" PRIMARY KEY ("marketplace_account_id")
);

CREATE TABLE "audit_log" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "position" BIGSERIAL NOT NULL,
    "account_id" UUID NOT NULL,
    "seller_account_id" UUID,
    "action" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_credential" TEXT,
    "actor_ip" TEXT,
    "changes" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "actor_member_id" UUID,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_by" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

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
    "image_name" TEXT,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "tokens_pkey" PRIMARY KEY ("network","asset")
);

CREATE TABLE "custodians" (
    "network" "network_name" NOT NULL,
    "address" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "custodians_pkey" PRIMARY KEY ("network","address")
);

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
    "locked_rate" JSONB,
    "received_amount" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "status" "intent_status" NOT NULL DEFAULT 'pending',
    "status_reason" TEXT,
    "reference" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "refund_sender" TEXT,
    "marketplace_fee_bps" INTEGER,
    "underpayment_tolerance_bps" INTEGER,
    "payee_label" TEXT NOT NULL,
    "customer_details" JSONB,
    "order_details" JSONB,
    "search_text" TEXT,
    "settlement" JSONB,
    "refunds" JSONB NOT NULL DEFAULT '[]',
    "token_refunds" JSONB NOT NULL DEFAULT '[]',
    "late_payments" JSONB NOT NULL DEFAULT '[]',
    "held" JSONB NOT NULL DEFAULT '[]',
    "list_totals" JSONB NOT NULL DEFAULT '{"tokenRefunds":null,"latePayments":null,"held":null}',
    "refund_address" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "metadata" JSONB,
    CONSTRAINT "payment_intents_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "payment_search" (
    "intent_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "parts" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "caller_account_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "is_indexed" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "payment_search_pkey" PRIMARY KEY ("intent_id")
);

CREATE TABLE "deposits" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "network" "network_name" NOT NULL,
    "intent_id" UUID NOT NULL,
    "account" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "signature" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "block_time" TIMESTAMPTZ(3),
    "senders" JSONB NOT NULL,
    "use" "deposit_use" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_version" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "deposits_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "unaccepted_tokens" (
    "intent_id" UUID NOT NULL,
    "mint" TEXT NOT NULL,
    "arrivals" BIGINT NOT NULL,
    "amount" DECIMAL(40,0) NOT NULL,
    "first_signature" TEXT NOT NULL,
    "last_signature" TEXT NOT NULL,
    "last_slot" BIGINT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "unaccepted_tokens_pkey" PRIMARY KEY ("intent_id","mint")
);

CREATE TABLE "ledger_entries" (
    "id" BIGSERIAL NOT NULL,
    "network" "network_name" NOT NULL,
    "address" TEXT NOT NULL,
    "account" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "delta" DECIMAL(21,0) NOT NULL,
    "signature" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" UUID,
    "transfer_id" UUID,
    "sponsored_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "transfers" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "key" TEXT NOT NULL,
    "network" "network_name" NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "account_id" UUID,
    "intent_id" UUID,
    "source" TEXT NOT NULL,
    "source_account" TEXT,
    "authority" TEXT NOT NULL,
    "authority_key" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "token_program" TEXT,
    "round" INTEGER NOT NULL DEFAULT 1,
    "portion" "transfer_portion" NOT NULL DEFAULT 'main',
    "status" "transfer_status" NOT NULL DEFAULT 'planned',
    "reason" TEXT,
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "budget_wait_cost" BIGINT,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "signature" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "planned_version" INTEGER NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "done_at" TIMESTAMPTZ(3),
    CONSTRAINT "transfers_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "releases" (
    "transfer_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "releases_pkey" PRIMARY KEY ("transfer_id")
);

CREATE TABLE "transfer_legs" (
    "transfer_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "role" TEXT NOT NULL,
    "destination" TEXT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "fee_bps" INTEGER,
    "moved_amount" DECIMAL(20,0),
    CONSTRAINT "transfer_legs_pkey" PRIMARY KEY ("transfer_id","position")
);

CREATE TABLE "transfer_attempts" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
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
    "spend_cost" BIGINT,
    "slot" BIGINT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),
    CONSTRAINT "transfer_attempts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "halts" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "network" "network_name" NOT NULL,
    "address" TEXT NOT NULL,
    "intent_id" UUID,
    "reason" TEXT NOT NULL,
    "faults" JSONB NOT NULL,
    "halted_at" TIMESTAMPTZ(3) NOT NULL,
    "cleared_at" TIMESTAMPTZ(3),
    "cleared_by" "halt_end",
    "cleared_reason" TEXT,
    CONSTRAINT "halts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "events" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "sequence" BIGSERIAL NOT NULL,
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "receiver_account_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "intent_id" UUID,
    "data" JSON NOT NULL,
    "database_transaction" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "api_requests" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "account_id" UUID NOT NULL,
    "key_hint" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "error_code" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "api_requests_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "event_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "api_version" TEXT NOT NULL,
    "secret_version" INTEGER NOT NULL DEFAULT 1,
    "secret_rotations" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "deleted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "event_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(3),
    "claimed_by" UUID,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_attempt_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "account_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "subject_id" UUID,
    "sequence" BIGINT,
    "waits_for_id" UUID,
    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_attempts" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "request_headers" JSONB NOT NULL,
    "response_status" INTEGER,
    "response_headers" JSONB,
    "response_body" TEXT,
    "error" TEXT,
    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

CREATE TABLE "workers" (
    "id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "deposit_sources" (
    "network" "network_name" NOT NULL,
    "source" "deposit_source_kind" NOT NULL,
    "reason" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "slot" BIGINT,
    "blockhash" TEXT,
    "saved_at" TIMESTAMPTZ(3),
    "notice_calls" INTEGER NOT NULL,
    "polling_calls" INTEGER NOT NULL,
    "block_calls" INTEGER NOT NULL,
    "noticed_accounts" INTEGER NOT NULL,
    "watched_accounts" INTEGER NOT NULL,
    CONSTRAINT "deposit_sources_pkey" PRIMARY KEY ("network")
);

CREATE TABLE "set_aside_payments" (
    "intent_id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "reason" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "set_aside_at" TIMESTAMPTZ(3) NOT NULL,
    "next_look_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "set_aside_payments_pkey" PRIMARY KEY ("intent_id")
);

CREATE TABLE "leases" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "leases_pkey" PRIMARY KEY ("name")
);

CREATE TABLE "stats_deltas" (
    "id" BIGSERIAL NOT NULL,
    "scope" "stats_scope" NOT NULL,
    "account_id" UUID NOT NULL,
    "quarter" TIMESTAMPTZ(3) NOT NULL,
    "asset" TEXT NOT NULL,
    "status" "intent_status" NOT NULL,
    "payments" INTEGER NOT NULL,
    "volume" DECIMAL(60,0) NOT NULL,
    "net" DECIMAL(60,0) NOT NULL,
    "fee_revenue" DECIMAL(60,0) NOT NULL,
    "volume_microcents" DECIMAL(60,0) NOT NULL,
    "net_microcents" DECIMAL(60,0) NOT NULL,
    "fee_microcents" DECIMAL(60,0) NOT NULL,
    CONSTRAINT "stats_deltas_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "stats_rollups" (
    "account_id" UUID NOT NULL,
    "scope" "stats_scope" NOT NULL,
    "span" INTEGER NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "asset" TEXT NOT NULL,
    "swept" INTEGER NOT NULL,
    "refunded" INTEGER NOT NULL,
    "cancelled" INTEGER NOT NULL,
    "settle_failed" INTEGER NOT NULL,
    "refund_failed" INTEGER NOT NULL,
    "volume" DECIMAL(60,0) NOT NULL,
    "net" DECIMAL(60,0) NOT NULL,
    "fee_revenue" DECIMAL(60,0) NOT NULL,
    "volume_microcents" DECIMAL(60,0) NOT NULL,
    "net_microcents" DECIMAL(60,0) NOT NULL,
    "fee_microcents" DECIMAL(60,0) NOT NULL,
    CONSTRAINT "stats_rollups_pkey" PRIMARY KEY ("account_id","scope","span","start","asset")
);

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
    "search_text" TEXT NOT NULL DEFAULT '',
    "search_parts" TEXT[] DEFAULT ARRAY[]::TEXT[],
    CONSTRAINT "subscription_products_pkey" PRIMARY KEY ("id")
);

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
    "trial_days" INTEGER NOT NULL DEFAULT 0,
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

CREATE TABLE "subscription_coupons" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "code" TEXT NOT NULL,
    "percent_off" INTEGER,
    "amount_off_usd_cents" BIGINT,
    "min_price_usd_cents" BIGINT NOT NULL,
    "periods" INTEGER,
    "max_uses" INTEGER,
    "max_uses_per_wallet" INTEGER,
    "ends_at" TIMESTAMPTZ(3),
    "product_id" UUID,
    "archived_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "subscription_coupons_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "redirect_domains" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "redirect_domains_pkey" PRIMARY KEY ("id")
);

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
    "coupon_id" UUID,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "version" INTEGER NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    CONSTRAINT "subscription_intents_pkey" PRIMARY KEY ("id")
);

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
    "pulled_slot" BIGINT,
    "accounted_slot" BIGINT,
    "accounted_allowance" DECIMAL(20,0),
    "chain_checked_at" TIMESTAMPTZ(3),
    "cleared_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "delegations_pkey" PRIMARY KEY ("id")
);

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
    "coupon_id" UUID,
    "discount" JSONB,
    "discounted_amount" DECIMAL(20,0) NOT NULL,
    "discounted_periods" INTEGER,
    "periods" INTEGER NOT NULL,
    "authorized_amount" DECIMAL(20,0) NOT NULL,
    "spent_amount" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "earlier_amount" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "delegation_epoch" INTEGER NOT NULL,
    "interval" TEXT NOT NULL,
    "interval_count" INTEGER NOT NULL,
    "anchor" TIMESTAMPTZ(3),
    "anchor_period" INTEGER NOT NULL DEFAULT 0,
    "period_index" INTEGER NOT NULL DEFAULT 0,
    "current_period_start" TIMESTAMPTZ(3),
    "current_period_end" TIMESTAMPTZ(3),
    "next_charge_period" INTEGER NOT NULL DEFAULT 0,
    "next_charge_at" TIMESTAMPTZ(3),
    "trial_ends_at" TIMESTAMPTZ(3),
    "trial_product_id" UUID,
    "trial_notice_at" TIMESTAMPTZ(3),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "stopped_by" TEXT,
    "past_due_since" TIMESTAMPTZ(3),
    "dunning_attempts" INTEGER NOT NULL DEFAULT 0,
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
    "retry_from" TIMESTAMPTZ(3),
    "dunning_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    CONSTRAINT "charges_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "approvals" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "delegation_id" UUID NOT NULL,
    "intent_id" UUID,
    "subscription_id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "subscription_version" INTEGER,
    "terms" JSONB NOT NULL,
    "total" DECIMAL(20,0) NOT NULL,
    "message" BYTEA NOT NULL,
    "fee_payer_signature" TEXT,
    "wire" BYTEA,
    "blockhash" TEXT NOT NULL,
    "last_valid_block_height" BIGINT NOT NULL,
    "known_signature" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'prepared',
    "spend_cost" BIGINT NOT NULL,
    "slot" BIGINT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),
    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

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

CREATE TABLE "portal_sessions" (
    "token_hash" BYTEA NOT NULL,
    "subscription_id" UUID NOT NULL,
    "origin" TEXT NOT NULL,
    "may_increase" BOOLEAN NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "portal_sessions_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "payout_creations" (
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "asset" TEXT NOT NULL,
    "transfer_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "planned_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "payout_creations_pkey" PRIMARY KEY ("network","account_id","asset")
);

CREATE TABLE "refunds" (
    "id" UUID NOT NULL,
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "caller_account_id" UUID NOT NULL,
    "intent_id" UUID,
    "charge_id" UUID,
    "subscription_id" UUID,
    "part" TEXT NOT NULL,
    "part_of" UUID,
    "reverse_fee" BOOLEAN NOT NULL,
    "asset" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "token_program" TEXT,
    "amount" DECIMAL(20,0) NOT NULL,
    "paid_amount" DECIMAL(20,0) NOT NULL DEFAULT 0,
    "paid_by" JSONB NOT NULL DEFAULT '[]',
    "signatures" JSONB NOT NULL DEFAULT '[]',
    "payer" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "reference_key" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "reference" TEXT,
    "reason" TEXT,
    "status" TEXT NOT NULL,
    "problem" TEXT,
    "reading" JSONB NOT NULL,
    "next_look_at" TIMESTAMPTZ(3),
    "looked_at" TIMESTAMPTZ(3),
    "failed_looks" INTEGER NOT NULL DEFAULT 0,
    "created_slot" BIGINT,
    "closes_at_slot" BIGINT,
    "version" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    CONSTRAINT "refunds_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "refund_transactions" (
    "refund_id" UUID NOT NULL,
    "signature" TEXT NOT NULL,
    "slot" BIGINT NOT NULL,
    "amount" DECIMAL(20,0) NOT NULL,
    "paid_by" TEXT,
    CONSTRAINT "refund_transactions_pkey" PRIMARY KEY ("refund_id","signature")
);

CREATE TABLE "refund_limits" (
    "subject_id" UUID NOT NULL,
    "settled" DECIMAL(20,0) NOT NULL,
    "counted" DECIMAL(20,0) NOT NULL DEFAULT 0,
    CONSTRAINT "refund_limits_pkey" PRIMARY KEY ("subject_id")
);

CREATE TABLE "payment_metadata" (
    "entry" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "intent_id" UUID NOT NULL,
    CONSTRAINT "payment_metadata_pkey" PRIMARY KEY ("entry","created_at","intent_id")
);

CREATE TABLE "idempotency_keys" (
    "account_id" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "request_hash" BYTEA,
    "object_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","key_hash")
);

CREATE TABLE "members" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    CONSTRAINT "members_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "login_credentials" (
    "id" UUID NOT NULL,
    "member_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "wallet" TEXT,
    "passkey_id" TEXT,
    "public_key" BYTEA,
    "counter" BIGINT,
    "transports" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    CONSTRAINT "login_credentials_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "login_links" (
    "token_hash" BYTEA NOT NULL,
    "member_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    CONSTRAINT "login_links_pkey" PRIMARY KEY ("token_hash")
);

CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "member_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "proved_at" TIMESTAMPTZ(3) NOT NULL,
    "ip" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "used_login_challenges" (
    "hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "used_login_challenges_pkey" PRIMARY KEY ("hash")
);

CREATE TABLE "operator_log" (
    "id" UUID NOT NULL DEFAULT time_ordered_uuid(),
    "position" BIGSERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "given" TEXT NOT NULL,
    "ip" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    CONSTRAINT "operator_log_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "marketplace_applications" (
    "account_id" UUID NOT NULL,
    "website" TEXT NOT NULL,
    "sells" TEXT NOT NULL,
    "expected_volume" TEXT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    CONSTRAINT "marketplace_applications_pkey" PRIMARY KEY ("account_id")
);

CREATE TABLE "payout_changes" (
    "account_id" UUID NOT NULL,
    "destination" TEXT,
    "requested_by" JSONB NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "payout_changes_pkey" PRIMARY KEY ("account_id")
);

CREATE UNIQUE INDEX "accounts_derivation_index_key" ON "accounts"("derivation_index");
CREATE INDEX "accounts_marketplace_account_id_created_at_id_idx" ON "accounts"("marketplace_account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "accounts_search_parts_idx" ON "accounts" USING GIN ("search_parts");
CREATE UNIQUE INDEX "accounts_marketplace_account_id_external_id_key" ON "accounts"("marketplace_account_id", "external_id");
CREATE INDEX "audit_log_account_id_position_idx" ON "audit_log"("account_id", "position" DESC);
CREATE INDEX "audit_log_account_id_action_position_idx" ON "audit_log"("account_id", "action", "position" DESC);
CREATE INDEX "audit_log_seller_account_id_position_idx" ON "audit_log"("seller_account_id", "position" DESC);
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");
CREATE INDEX "api_keys_account_id_created_at_id_idx" ON "api_keys"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "payment_intents_derivation_index_key" ON "payment_intents"("derivation_index");
CREATE UNIQUE INDEX "payment_intents_address_key" ON "payment_intents"("address");
CREATE UNIQUE INDEX "payment_intents_client_secret_hash_key" ON "payment_intents"("client_secret_hash");
CREATE INDEX "payment_intents_caller_account_id_created_at_id_idx" ON "payment_intents"("caller_account_id", "created_at", "id");
CREATE UNIQUE INDEX "payment_intents_caller_account_id_reference_key" ON "payment_intents"("caller_account_id", "reference");
CREATE INDEX "payment_search_parts_idx" ON "payment_search" USING GIN ("parts");
CREATE INDEX "deposits_intent_id_idx" ON "deposits"("intent_id");
CREATE UNIQUE INDEX "deposits_signature_account_asset_key" ON "deposits"("signature", "account", "asset");
CREATE INDEX "unaccepted_tokens_mint_idx" ON "unaccepted_tokens"("mint");
CREATE INDEX "unaccepted_tokens_last_seen_at_idx" ON "unaccepted_tokens"("last_seen_at");
CREATE INDEX "ledger_entries_address_asset_idx" ON "ledger_entries"("address", "asset");
CREATE INDEX "ledger_entries_subject_id_idx" ON "ledger_entries"("subject_id");
CREATE INDEX "ledger_entries_network_slot_idx" ON "ledger_entries"("network", "slot");
CREATE UNIQUE INDEX "ledger_entries_signature_account_asset_key" ON "ledger_entries"("signature", "account", "asset");
CREATE UNIQUE INDEX "transfers_key_key" ON "transfers"("key");
CREATE INDEX "transfers_intent_id_idx" ON "transfers"("intent_id");
CREATE UNIQUE INDEX "transfer_attempts_signature_key" ON "transfer_attempts"("signature");
CREATE UNIQUE INDEX "transfer_attempts_transfer_id_number_key" ON "transfer_attempts"("transfer_id", "number");
CREATE INDEX "halts_intent_id_idx" ON "halts"("intent_id");
CREATE UNIQUE INDEX "events_sequence_key" ON "events"("sequence");
CREATE INDEX "api_requests_account_id_created_at_id_idx" ON "api_requests"("account_id", "created_at", "id");
CREATE INDEX "api_requests_created_at_idx" ON "api_requests"("created_at");
CREATE INDEX "events_intent_id_version_idx" ON "events"("intent_id", "version");
CREATE INDEX "webhook_endpoints_account_id_idx" ON "webhook_endpoints"("account_id");
CREATE INDEX "webhook_deliveries_newest" ON "webhook_deliveries"("created_at");
CREATE INDEX "webhook_deliveries_account_id_created_at_id_idx" ON "webhook_deliveries"("account_id", "created_at", "id");
CREATE INDEX "webhook_deliveries_account_id_status_created_at_id_idx" ON "webhook_deliveries"("account_id", "status", "created_at", "id");
CREATE INDEX "webhook_deliveries_account_id_endpoint_id_created_at_id_idx" ON "webhook_deliveries"("account_id", "endpoint_id", "created_at", "id");
CREATE UNIQUE INDEX "webhook_deliveries_event_id_endpoint_id_key" ON "webhook_deliveries"("event_id", "endpoint_id");
CREATE INDEX "set_aside_payments_network_next_look_at_idx" ON "set_aside_payments"("network", "next_look_at");
CREATE INDEX "stats_deltas_account_id_scope_quarter_idx" ON "stats_deltas"("account_id", "scope", "quarter");
CREATE INDEX "subscription_products_account_id_created_at_id_idx" ON "subscription_products"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "subscription_products_search_parts_idx" ON "subscription_products" USING GIN ("search_parts");
CREATE UNIQUE INDEX "subscription_products_account_id_external_id_key" ON "subscription_products"("account_id", "external_id");
CREATE INDEX "subscription_tiers_product_id_created_at_id_idx" ON "subscription_tiers"("product_id", "created_at" DESC, "id" DESC);
CREATE INDEX "subscription_tiers_account_id_idx" ON "subscription_tiers"("account_id");
CREATE INDEX "redirect_domains_account_id_created_at_id_idx" ON "redirect_domains"("account_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "redirect_domains_account_id_host_key" ON "redirect_domains"("account_id", "host");
CREATE UNIQUE INDEX "subscription_intents_token_hash_key" ON "subscription_intents"("token_hash");
CREATE UNIQUE INDEX "subscription_intents_subscription_id_key" ON "subscription_intents"("subscription_id");
CREATE INDEX "subscription_intents_account_id_created_at_id_idx" ON "subscription_intents"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "subscription_intents_account_id_status_created_at_id_idx" ON "subscription_intents"("account_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "subscription_intents_tier_id_created_at_id_idx" ON "subscription_intents"("tier_id", "created_at" DESC, "id" DESC);
CREATE INDEX "subscription_intents_tier_id_status_created_at_id_idx" ON "subscription_intents"("tier_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "delegations_network_chain_checked_at_idx" ON "delegations"("network", "chain_checked_at");
CREATE UNIQUE INDEX "delegations_network_wallet_mint_key" ON "delegations"("network", "wallet", "mint");
CREATE INDEX "subscription_coupons_account_id_created_at_id_idx" ON "subscription_coupons"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "subscription_coupons_product_id_created_at_id_idx" ON "subscription_coupons"("product_id", "created_at" DESC, "id" DESC);
CREATE UNIQUE INDEX "billing_subscriptions_intent_id_key" ON "billing_subscriptions"("intent_id");
CREATE INDEX "billing_subscriptions_account_id_created_at_id_idx" ON "billing_subscriptions"("account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "billing_subscriptions_tier_id_idx" ON "billing_subscriptions"("tier_id");
CREATE INDEX "billing_subscriptions_delegation_id_idx" ON "billing_subscriptions"("delegation_id");
CREATE INDEX "billing_subscriptions_subscriber_wallet_idx" ON "billing_subscriptions"("subscriber_wallet");
CREATE INDEX "charges_account_id_created_at_idx" ON "charges"("account_id", "created_at" DESC);
CREATE UNIQUE INDEX "charges_subscription_id_period_index_key" ON "charges"("subscription_id", "period_index");
CREATE UNIQUE INDEX "refunds_reference_key_key" ON "refunds"("reference_key");
CREATE INDEX "refunds_caller_account_id_created_at_id_idx" ON "refunds"("caller_account_id", "created_at" DESC, "id" DESC);
CREATE INDEX "refunds_caller_account_id_status_created_at_id_idx" ON "refunds"("caller_account_id", "status", "created_at" DESC, "id" DESC);
CREATE INDEX "refunds_intent_id_idx" ON "refunds"("intent_id");
CREATE INDEX "refunds_charge_id_idx" ON "refunds"("charge_id");
CREATE UNIQUE INDEX "refunds_caller_account_id_reference_key" ON "refunds"("caller_account_id", "reference");
CREATE UNIQUE INDEX "approvals_fee_payer_signature_key" ON "approvals"("fee_payer_signature");
CREATE INDEX "approvals_intent_id_idx" ON "approvals"("intent_id");
CREATE INDEX "approvals_subscription_id_idx" ON "approvals"("subscription_id");
CREATE INDEX "approvals_delegation_id_created_at_idx" ON "approvals"("delegation_id", "created_at");
CREATE INDEX "wallet_challenges_wallet_created_at_idx" ON "wallet_challenges"("wallet", "created_at");
CREATE INDEX "portal_sessions_subscription_id_idx" ON "portal_sessions"("subscription_id");
CREATE INDEX "portal_sessions_expires_at_idx" ON "portal_sessions"("expires_at");
CREATE INDEX "payment_intents_caller_account_id_status_created_at_id_idx" ON "payment_intents"("caller_account_id", "status", "created_at", "id");
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");
CREATE INDEX "members_account_id_created_at_idx" ON "members"("account_id", "created_at");
CREATE UNIQUE INDEX "login_credentials_passkey_id_key" ON "login_credentials"("passkey_id");
CREATE INDEX "login_credentials_member_id_idx" ON "login_credentials"("member_id");
CREATE UNIQUE INDEX "login_credentials_wallet_account_id_key" ON "login_credentials"("wallet", "account_id");
CREATE INDEX "login_links_member_id_idx" ON "login_links"("member_id");
CREATE INDEX "login_links_expires_at_idx" ON "login_links"("expires_at");
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");
CREATE INDEX "sessions_member_id_idx" ON "sessions"("member_id");
CREATE INDEX "sessions_last_seen_at_idx" ON "sessions"("last_seen_at");
CREATE INDEX "used_login_challenges_expires_at_idx" ON "used_login_challenges"("expires_at");
CREATE UNIQUE INDEX "operator_log_position_key" ON "operator_log"("position");
CREATE INDEX "marketplace_applications_decided_at_applied_at_idx" ON "marketplace_applications"("decided_at", "applied_at");
CREATE INDEX "payout_changes_effective_at_idx" ON "payout_changes"("effective_at");

ALTER TABLE "accounts" ADD CONSTRAINT "accounts_marketplace_account_id_fkey" FOREIGN KEY ("marketplace_account_id") REFERENCES "accounts"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "marketplaces" ADD CONSTRAINT "marketplaces_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_seller_account_id_fkey" FOREIGN KEY ("seller_account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "payment_intents" ADD CONSTRAINT "payment_intents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "payment_intents" ADD CONSTRAINT "payment_intents_caller_account_id_fkey" FOREIGN KEY ("caller_account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "payment_search" ADD CONSTRAINT "payment_search_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "deposits" ADD CONSTRAINT "deposits_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "unaccepted_tokens" ADD CONSTRAINT "unaccepted_tokens_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "releases" ADD CONSTRAINT "releases_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "transfer_legs" ADD CONSTRAINT "transfer_legs_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "transfer_attempts" ADD CONSTRAINT "transfer_attempts_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "halts" ADD CONSTRAINT "halts_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "events" ADD CONSTRAINT "events_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "events"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_waits_for_id_fkey" FOREIGN KEY ("waits_for_id") REFERENCES "webhook_deliveries"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "set_aside_payments" ADD CONSTRAINT "set_aside_payments_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_products" ADD CONSTRAINT "subscription_products_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_tiers" ADD CONSTRAINT "subscription_tiers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_tiers" ADD CONSTRAINT "subscription_tiers_product_id_fkey" FOREIGN KEY ("product_id") REFERENCES "subscription_products"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "redirect_domains" ADD CONSTRAINT "redirect_domains_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_intents" ADD CONSTRAINT "subscription_intents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_intents" ADD CONSTRAINT "subscription_intents_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "subscription_tiers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_tier_id_fkey" FOREIGN KEY ("tier_id") REFERENCES "subscription_tiers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "subscription_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_coupons" ADD CONSTRAINT "subscription_coupons_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "subscription_coupons" ADD CONSTRAINT "subscription_coupons_product_id_fkey" FOREIGN KEY ("product_id") REFERENCES "subscription_products"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "subscription_intents" ADD CONSTRAINT "subscription_intents_coupon_id_fkey" FOREIGN KEY ("coupon_id") REFERENCES "subscription_coupons"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_coupon_id_fkey" FOREIGN KEY ("coupon_id") REFERENCES "subscription_coupons"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_delegation_id_fkey" FOREIGN KEY ("delegation_id") REFERENCES "delegations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "charges" ADD CONSTRAINT "charges_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "billing_subscriptions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_charge_id_fkey" FOREIGN KEY ("charge_id") REFERENCES "charges"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "refund_transactions" ADD CONSTRAINT "refund_transactions_refund_id_fkey" FOREIGN KEY ("refund_id") REFERENCES "refunds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_delegation_id_fkey" FOREIGN KEY ("delegation_id") REFERENCES "delegations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "subscription_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "portal_sessions" ADD CONSTRAINT "portal_sessions_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "billing_subscriptions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "payout_creations" ADD CONSTRAINT "payout_creations_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "login_credentials" ADD CONSTRAINT "login_credentials_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "login_links" ADD CONSTRAINT "login_links_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "marketplace_applications" ADD CONSTRAINT "marketplace_applications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "payout_changes" ADD CONSTRAINT "payout_changes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Payments

ALTER TABLE "payment_intents"
  ADD CONSTRAINT "price_is_positive" CHECK ("price_usd_cents" > 0),
  ADD CONSTRAINT "index_zero_is_reserved" CHECK ("derivation_index" > 0),
  ADD CONSTRAINT "something_is_accepted" CHECK (cardinality("accepted_assets") > 0),
  ADD CONSTRAINT "little_is_tolerated" CHECK ("underpayment_tolerance_bps" BETWEEN 1 AND 500),
  ADD CONSTRAINT "received_is_not_negative" CHECK ("received_amount" >= 0),
  ADD CONSTRAINT "selection_is_whole" CHECK (
    ("asset" IS NULL AND "asset_decimals" IS NULL AND "expected_amount" IS NULL)
    OR ("asset" IS NOT NULL AND "asset_decimals" IS NOT NULL AND "expected_amount" > 0)
  );

-- A payment of a business itself names one account twice. A foreign key of the payee would look that account up a second time
-- for each payment, so it is on the payee of a payment for a seller only, which is another account.
ALTER TABLE "payment_intents"
  DROP CONSTRAINT "payment_intents_account_id_fkey",
  ADD COLUMN "seller_account_id" UUID GENERATED ALWAYS AS (NULLIF("account_id", "caller_account_id")) STORED
    CONSTRAINT "payment_intents_seller_account_id_fkey" REFERENCES "accounts" ("id") ON DELETE RESTRICT;
-- before comparing: ALTER TABLE "payment_intents" DROP COLUMN "seller_account_id";
-- before comparing: ALTER TABLE "payment_intents" ADD CONSTRAINT "payment_intents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE INDEX "payment_intents_open" ON "payment_intents" ("network", "expires_at")
  WHERE "status" IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding');
-- Payments that ended lately, without reading all that ever did.
CREATE INDEX "payment_intents_ended" ON "payment_intents" ("network", "updated_at")
  WHERE "status" NOT IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding');
-- What the operator lists and counts. A row enters the index once, when its work has ended.
CREATE INDEX "payment_intents_failed" ON "payment_intents" ("id") WHERE "status" IN ('settle_failed', 'refund_failed');
-- Payments with held money, in an order that no later payment to their addresses changes.
CREATE INDEX "payment_intents_held" ON "payment_intents" ("derivation_index") WHERE "held" <> '[]';
-- The refused requests of a business, however rare they are.
CREATE INDEX "api_requests_refused" ON "api_requests" ("account_id", "created_at", "id") WHERE "error_code" IS NOT NULL;
-- What a business lists by asset and by held money, the newest first. A new payment has neither, and enters no such index.
CREATE INDEX "payment_intents_of_businesses_by_asset" ON "payment_intents"
  ("caller_account_id", "asset", "created_at", "id") WHERE "asset" IS NOT NULL;
CREATE INDEX "payment_intents_of_businesses_held" ON "payment_intents" ("caller_account_id", "created_at", "id")
  WHERE "held" <> '[]';
-- Payments whose buyer was asked for an address. Few are, and those with a proposal are among them.
CREATE INDEX "payment_intents_of_businesses_asking" ON "payment_intents" ("caller_account_id", "created_at", "id")
  WHERE "refund_address" IS NOT NULL;

-- The payments of a marketplace for its sellers, among payments of its own and by status, and the payments of one seller. A
-- search reads the payments next to a page in the order of the page, by an index that has their texts, so that it reads no
-- payment. An entry of an index has at most 2,704 bytes: a longer text is in the search entry only.
CREATE INDEX "payment_intents_for_sellers" ON "payment_intents"
  ("caller_account_id", "created_at" DESC, "id" DESC) INCLUDE ("search_text") WHERE "marketplace_fee_bps" IS NOT NULL;
CREATE INDEX "payment_intents_for_sellers_by_status" ON "payment_intents"
  ("caller_account_id", "status", "created_at" DESC, "id" DESC) INCLUDE ("search_text")
  WHERE "marketplace_fee_bps" IS NOT NULL;
-- By asset, also where the marketplace itself is paid in it much more often.
CREATE INDEX "payment_intents_for_sellers_by_asset" ON "payment_intents"
  ("caller_account_id", "asset", "created_at" DESC, "id" DESC) WHERE "marketplace_fee_bps" IS NOT NULL AND "asset" IS NOT NULL;
CREATE INDEX "payment_intents_of_sellers" ON "payment_intents"
  ("account_id", "created_at" DESC, "id" DESC) INCLUDE ("caller_account_id", "search_text")
  WHERE "marketplace_fee_bps" IS NOT NULL;
CREATE INDEX "payment_intents_of_sellers_by_status" ON "payment_intents"
  ("account_id", "status", "created_at" DESC, "id" DESC) INCLUDE ("caller_account_id", "search_text")
  WHERE "marketplace_fee_bps" IS NOT NULL;

-- What archiving a seller asks for: its payments and its subscriptions that have not ended, and its transfers that are to move
-- money. The indexes have the rows in flight only.
CREATE INDEX "payment_intents_of_sellers_in_flight" ON "payment_intents" ("account_id", "created_at" DESC, "id" DESC)
  WHERE "account_id" <> "caller_account_id"
    AND "status" IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'settle_failed', 'refunding', 'refund_failed');
CREATE INDEX "transfers_under_way" ON "transfers" ("account_id")
  WHERE "status" IN ('planned', 'in_progress') AND "kind" <> 'rent' AND "portion" <> 'rent_reserve';
CREATE INDEX "billing_subscriptions_not_ended" ON "billing_subscriptions" ("account_id", "created_at" DESC, "id" DESC)
  WHERE status NOT IN ('canceled', 'failed');

-- The figures of the subscriptions of a business.
CREATE INDEX "billing_subscriptions_begun" ON "billing_subscriptions" ("account_id", "activated_at")
  WHERE "activated_at" IS NOT NULL;
CREATE INDEX "billing_subscriptions_ended" ON "billing_subscriptions" ("account_id", "ended_at") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "charges_that_failed" ON "charges" ("account_id", "created_at") WHERE "failure_code" IS NOT NULL;

-- Detection

ALTER TABLE "deposits" ADD CONSTRAINT "deposit_is_positive" CHECK ("amount" > 0);
ALTER TABLE "deposit_sources" ADD CONSTRAINT "a_cursor_is_whole" CHECK (
  ("slot" IS NULL) = ("blockhash" IS NULL) AND ("slot" IS NULL) = ("saved_at" IS NULL)
);

-- At most one open halt for an address, and found at once before anything is sent from it.
CREATE UNIQUE INDEX "halts_open" ON "halts" ("address") WHERE "cleared_at" IS NULL;
ALTER TABLE "halts" ADD CONSTRAINT "a_cleared_halt_says_by_whom" CHECK (("cleared_at" IS NULL) = ("cleared_by" IS NULL));

-- Transfers

ALTER TABLE "transfers" ADD CONSTRAINT "payments_are_their_own_subject" CHECK (
  CASE WHEN "subject_kind" IN ('payment', 'rent') THEN coalesce("intent_id" = "subject_id", false) ELSE "intent_id" IS NULL END);
ALTER TABLE "transfer_legs" ADD CONSTRAINT "leg_is_not_negative" CHECK ("amount" >= 0);
ALTER TABLE "transfer_attempts" ADD CONSTRAINT "signed_means_stored" CHECK (
  "state" IN ('prepared', 'dead') OR ("wire" IS NOT NULL AND "signature" IS NOT NULL));

-- At most one live attempt for an obligation, and for a deposit address: never two signed transactions that could both land.
CREATE UNIQUE INDEX "transfer_attempts_live_transfer" ON "transfer_attempts" ("transfer_id")
  WHERE "state" IN ('prepared', 'signed', 'sent', 'unknown');
CREATE UNIQUE INDEX "transfer_attempts_live_source" ON "transfer_attempts" ("source")
  WHERE "state" IN ('prepared', 'signed', 'sent', 'unknown');
-- At most one attempt of an obligation ever succeeded.
CREATE UNIQUE INDEX "transfer_attempts_one_success" ON "transfer_attempts" ("transfer_id") WHERE "state" = 'final_ok';

-- Work that is waiting, found without reading what is done. Each kind is claimed by itself.
CREATE INDEX "transfers_due" ON "transfers" ("network", "kind", "next_attempt_at")
  WHERE "status" IN ('planned', 'in_progress');
-- A transfer that waits for the budget of its kind keeps its place before later transfers.
CREATE INDEX "transfers_waiting_for_budget" ON "transfers" ("network", "kind", "created_at")
  WHERE "budget_wait_cost" IS NOT NULL AND "status" IN ('planned', 'in_progress');
-- What the operator lists and counts. A row enters the index once, when its work has ended.
CREATE INDEX "transfers_ended" ON "transfers" ("status", "created_at", "id") WHERE "status" IN ('done', 'failed', 'held');
-- The charges whose final transaction moved another amount than their legs: hardly any.
CREATE INDEX "transfers_that_differ" ON "transfers" ("done_at")
  WHERE kind = 'charge' AND status = 'done' AND reason IS NOT NULL;
-- Every decision about a subscription reads the transfer of its latest charge. Payments find theirs by their own column.
CREATE INDEX "transfers_of_billing" ON "transfers" ("subject_kind", "subject_id") WHERE "subject_kind" = 'charge';

-- An obligation says what must happen exactly once. What it says is fixed when it is planned; only its progress changes.
CREATE FUNCTION "obligations_are_fixed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what a transfer is about never changes';
END $$;
CREATE TRIGGER "obligations_are_fixed" BEFORE UPDATE ON "transfers"
  FOR EACH ROW
  WHEN (
    (NEW."id", NEW."key", NEW."network", NEW."subject_kind", NEW."subject_id", NEW."kind", NEW."account_id",
      NEW."intent_id", NEW."source", NEW."source_account", NEW."authority", NEW."authority_key", NEW."asset",
      NEW."decimals", NEW."token_program", NEW."round", NEW."portion")
    IS DISTINCT FROM
    (OLD."id", OLD."key", OLD."network", OLD."subject_kind", OLD."subject_id", OLD."kind", OLD."account_id",
      OLD."intent_id", OLD."source", OLD."source_account", OLD."authority", OLD."authority_key", OLD."asset",
      OLD."decimals", OLD."token_program", OLD."round", OLD."portion")
  )
  EXECUTE FUNCTION "obligations_are_fixed"();

-- Where money goes, and how much, never changes after it was planned.
CREATE FUNCTION "legs_are_frozen"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE'
    OR (NEW."transfer_id", NEW."position", NEW."role", NEW."destination", NEW."amount", NEW."fee_bps")
      IS DISTINCT FROM (OLD."transfer_id", OLD."position", OLD."role", OLD."destination", OLD."amount", OLD."fee_bps")
  THEN
    RAISE EXCEPTION 'the legs of a transfer are frozen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "legs_are_frozen" BEFORE UPDATE OR DELETE ON "transfer_legs"
  FOR EACH ROW EXECUTE FUNCTION "legs_are_frozen"();

-- A transfer gets its legs before any worker claims it. The lock keeps a claim out until the new leg is committed.
CREATE FUNCTION "legs_come_first"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  "now" "transfer_status";
BEGIN
  SELECT "status" INTO "now" FROM "transfers" WHERE "id" = NEW."transfer_id" FOR NO KEY UPDATE;
  IF "now" <> 'planned' OR EXISTS (SELECT FROM "transfer_attempts" WHERE "transfer_id" = NEW."transfer_id") THEN
    RAISE EXCEPTION 'a transfer that was started gets no more legs';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "legs_come_first" BEFORE INSERT ON "transfer_legs"
  FOR EACH ROW EXECUTE FUNCTION "legs_come_first"();

-- Ledger

-- The ledger is only ever added to.
CREATE FUNCTION "ledger_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger entries are never changed or removed';
END $$;
CREATE TRIGGER "ledger_is_append_only" BEFORE UPDATE OR DELETE ON "ledger_entries"
  FOR EACH ROW EXECUTE FUNCTION "ledger_is_append_only"();

-- What transfers of a kind took from the fee payer in the last day, read without what nobody outside can cause.
CREATE INDEX "ledger_entries_spend" ON "ledger_entries" ("address", "created_at")
  INCLUDE ("kind", "delta", "transfer_id") WHERE "asset" = 'SOL' AND "kind" NOT IN ('deposit', 'sweep');
-- What counts in the budget of a business. The fee payer may also receive tokens: only SOL is a cost.
CREATE INDEX "ledger_entries_sponsored" ON "ledger_entries" ("sponsored_id", "created_at") INCLUDE ("delta")
  WHERE "sponsored_id" IS NOT NULL AND "asset" = 'SOL';

-- Events and deliveries

-- An event names its payment and its account as it names every other subject, by id. The statement that stages an event
-- has just written or locked its subject, and no row of either table is ever deleted.
ALTER TABLE "events"
  DROP CONSTRAINT "events_account_id_fkey",
  DROP CONSTRAINT "events_intent_id_fkey",
  ADD CONSTRAINT "events_of_payments" CHECK (
    CASE WHEN "subject_kind" = 'payment' THEN coalesce("intent_id" = "subject_id", false) ELSE "intent_id" IS NULL END);
-- before comparing: ALTER TABLE "events" ADD CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
-- before comparing: ALTER TABLE "events" ADD CONSTRAINT "events_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- The feed of a marketplace: events of its sellers' payments. Events of their subscriptions and charges are not in the index: the
-- position of a reader does not move past them, so each page would read them again.
CREATE INDEX "events_for_marketplaces" ON "events" ("receiver_account_id", "database_transaction", "sequence")
  WHERE "account_id" <> "receiver_account_id" AND "subject_kind" = 'payment';
-- The event log of a business, in its order. An entry for the feed of a marketplace alone is no event of the log. With the time, a
-- range of it reads no event outside.
CREATE INDEX "events_of_log" ON "events" ("receiver_account_id", "database_transaction", "sequence", "created_at")
  WHERE "type" <> 'intent.updated';
-- The same for one seller of a marketplace.
CREATE INDEX "events_of_sellers" ON "events" ("account_id", "database_transaction", "sequence", "created_at")
  WHERE "account_id" <> "receiver_account_id" AND "type" <> 'intent.updated';
-- Followers of a subscription read its events after a version. Its page also shows those of its charges.
CREATE INDEX "events_of_subscriptions" ON "events" ("subject_id", "version") WHERE subject_kind IN ('subscription', 'charge');

ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_deleted_are_disabled"
  CHECK ("deleted_at" IS NULL OR "disabled_at" IS NOT NULL);

-- Deliveries to one endpoint take turns by subject. A delivery that has to wait for an earlier one of its subject names it, and
-- is in no queue until then, so a claim reads the head of a queue and passes over nothing. Each endpoint has two queues: first
-- attempts and later ones.
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"
  ("endpoint_id", (LEAST("attempts", 1)), "next_attempt_at", "sequence")
  WHERE "status" = 'pending' AND "waits_for_id" IS NULL;
CREATE INDEX "webhook_deliveries_unsent" ON "webhook_deliveries" ("endpoint_id", "subject_id", "sequence")
  WHERE "status" = 'pending' AND "attempts" = 0;
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" ("waits_for_id") WHERE "waits_for_id" IS NOT NULL;
CREATE INDEX "webhook_deliveries_in_flight" ON "webhook_deliveries" ("endpoint_id", "lease_until")
  WHERE "status" = 'pending' AND "lease_until" IS NOT NULL;
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" ("created_at") WHERE "status" = 'failed';

-- In the transaction that ends a first attempt, and not in the statement: the delivery that waits may have been staged
-- after the statement began.
CREATE FUNCTION "release_next_delivery"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "webhook_deliveries" SET "waits_for_id" = NULL,
    "next_attempt_at" = GREATEST("next_attempt_at", NEW."last_attempt_at", NEW."finished_at")
  WHERE "waits_for_id" = NEW."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "release_next_delivery" AFTER UPDATE OF "status", "attempts" ON "webhook_deliveries" FOR EACH ROW
  WHEN (OLD."status" = 'pending' AND OLD."attempts" = 0 AND (NEW."status" <> 'pending' OR NEW."attempts" > 0))
  EXECUTE FUNCTION "release_next_delivery"();

-- Marketplaces

-- The audit trail is only ever added to.
CREATE FUNCTION "audit_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed or removed';
END $$;
CREATE TRIGGER "audit_is_append_only" BEFORE UPDATE OR DELETE ON "audit_log"
  FOR EACH ROW EXECUTE FUNCTION "audit_is_append_only"();
CREATE TRIGGER "audit_is_never_emptied" BEFORE TRUNCATE ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION "audit_is_append_only"();

-- How many sellers a marketplace has, without reading them. Once for each statement, so that many sellers of one statement
-- change the row once. A seller never moves and is never deleted.
CREATE FUNCTION "count_new_sellers"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "seller_counts" AS counted ("marketplace_account_id", "total", "archived")
  SELECT "marketplace_account_id", count(*), count("archived_at") FROM added
  WHERE "marketplace_account_id" IS NOT NULL GROUP BY 1 ORDER BY 1
  ON CONFLICT ("marketplace_account_id")
  DO UPDATE SET "total" = counted."total" + excluded."total", "archived" = counted."archived" + excluded."archived";
  RETURN NULL;
END $$;
CREATE TRIGGER "new_sellers_are_counted" AFTER INSERT ON "accounts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_new_sellers"();

CREATE FUNCTION "count_archived_seller"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "seller_counts" SET "archived" = "archived" + CASE WHEN NEW."archived_at" IS NULL THEN -1 ELSE 1 END
  WHERE "marketplace_account_id" = NEW."marketplace_account_id";
  RETURN NULL;
END $$;
CREATE TRIGGER "archived_sellers_are_counted" AFTER UPDATE OF "archived_at" ON "accounts" FOR EACH ROW
  WHEN ((OLD."archived_at" IS NULL) <> (NEW."archived_at" IS NULL)) EXECUTE FUNCTION "count_archived_seller"();

-- The list of sellers without archived sellers.
CREATE INDEX "accounts_sellers_in_use" ON "accounts" ("marketplace_account_id", "created_at", "id")
  WHERE "archived_at" IS NULL AND "marketplace_account_id" IS NOT NULL;

-- The few accounts that the operator has disabled.
CREATE INDEX "accounts_disabled" ON "accounts" ("id") WHERE "disabled_at" IS NOT NULL;

-- The figures of accounts: what has ended is appended by triggers, and a job adds it to the rollups. Rows come and go all the time.
-- What is under way is counted by each read: it is little, and a new payment costs nothing here.
ALTER TABLE "stats_deltas" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION "stats_has_ended"("status" "intent_status") RETURNS BOOLEAN LANGUAGE sql IMMUTABLE AS $$
  SELECT "status" IN ('swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed')
$$;

-- What a payment adds to figures: its legs but those that return an excess, those to its payee, and those to its marketplace. The
-- value in cents is at the rate that the payment locked, rounded down to a millionth of a cent.
CREATE FUNCTION "stats_of_payment"("payment" "payment_intents")
RETURNS TABLE ("asset" TEXT, "volume" NUMERIC, "net" NUMERIC, "fee_revenue" NUMERIC, "volume_microcents" NUMERIC,
  "net_microcents" NUMERIC, "fee_microcents" NUMERIC)
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof("payment"."settlement") = 'object' THEN coalesce("payment"."asset", '') ELSE '' END,
    moved."volume", moved."net", moved."fee",
    coalesce(div(moved."volume" * "payment"."price_usd_cents" * 1000000, nullif("payment"."expected_amount", 0)), 0),
    coalesce(div(moved."net" * "payment"."price_usd_cents" * 1000000, nullif("payment"."expected_amount", 0)), 0),
    coalesce(div(moved."fee" * "payment"."price_usd_cents" * 1000000, nullif("payment"."expected_amount", 0)), 0)
  FROM (
    SELECT coalesce(sum((leg->>'amount')::NUMERIC) FILTER (WHERE leg->>'role' <> 'refund'), 0) AS "volume",
      coalesce(sum((leg->>'amount')::NUMERIC) FILTER (WHERE leg->>'role' IN ('merchant', 'seller')), 0) AS "net",
      coalesce(sum((leg->>'amount')::NUMERIC) FILTER (WHERE leg->>'role' = 'marketplace'), 0) AS "fee"
    FROM jsonb_array_elements(
      CASE WHEN jsonb_typeof("payment"."settlement") = 'object' THEN "payment"."settlement"->'legs' ELSE '[]'::JSONB END) leg
  ) moved
$$;

-- What a charge adds to figures. Subscriptions settle in a token that is a dollar.
CREATE FUNCTION "stats_of_charge"("charge" "charges")
RETURNS TABLE ("asset" TEXT, "volume" NUMERIC, "net" NUMERIC, "fee_revenue" NUMERIC, "volume_microcents" NUMERIC,
  "net_microcents" NUMERIC, "fee_microcents" NUMERIC)
LANGUAGE sql STABLE AS $$
  SELECT "charge"."mint", "charge"."amount", "charge"."net_amount", 0::NUMERIC,
    div("charge"."amount" * 100000000, unit."ones"), div("charge"."net_amount" * 100000000, unit."ones"), 0::NUMERIC
  FROM (
    SELECT power(10::NUMERIC, token."decimals") AS "ones" FROM "tokens" token
    WHERE token."network" = "charge"."network" AND token."asset" = "charge"."mint"
  ) unit
$$;

CREATE FUNCTION "stats_quarter"("at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('15 minutes', "at", '2000-01-01T00:00:00Z')
$$;

-- The changes that so many of a payment make, 1 or -1: for its payee, and for the marketplace of a seller.
CREATE FUNCTION "stats_changes_of_payment"("payment" "payment_intents", "payments" INTEGER)
RETURNS TABLE ("scope" "stats_scope", "account_id" UUID, "quarter" TIMESTAMPTZ, "asset" TEXT, "status" "intent_status",
  "payments" INTEGER, "volume" NUMERIC, "net" NUMERIC, "fee_revenue" NUMERIC, "volume_microcents" NUMERIC,
  "net_microcents" NUMERIC, "fee_microcents" NUMERIC)
LANGUAGE sql IMMUTABLE AS $$
  SELECT account."scope", account."id", stats_quarter("payment"."created_at"), figures."asset", "payment"."status", $2,
    $2 * figures."volume", $2 * figures."net", $2 * figures."fee_revenue", $2 * figures."volume_microcents",
    $2 * figures."net_microcents", $2 * figures."fee_microcents"
  FROM stats_of_payment("payment") figures
  CROSS JOIN (VALUES ('payee'::"stats_scope", "payment"."account_id"), ('marketplace', "payment"."caller_account_id"))
    account("scope", "id")
  WHERE account."scope" = 'payee' OR "payment"."account_id" <> "payment"."caller_account_id"
$$;

CREATE FUNCTION "stats_changes_of_charge"("charge" "charges", "payments" INTEGER)
RETURNS TABLE ("scope" "stats_scope", "account_id" UUID, "quarter" TIMESTAMPTZ, "asset" TEXT, "status" "intent_status",
  "payments" INTEGER, "volume" NUMERIC, "net" NUMERIC, "fee_revenue" NUMERIC, "volume_microcents" NUMERIC,
  "net_microcents" NUMERIC, "fee_microcents" NUMERIC)
LANGUAGE sql STABLE AS $$
  SELECT 'charges'::"stats_scope", "charge"."account_id", stats_quarter("charge"."created_at"), figures."asset",
    'swept'::"intent_status", $2, $2 * figures."volume", $2 * figures."net", $2 * figures."fee_revenue",
    $2 * figures."volume_microcents", $2 * figures."net_microcents", $2 * figures."fee_microcents"
  FROM stats_of_charge("charge") figures
$$;

-- A payment that has ended adds what it is now, and takes back what it was.
CREATE FUNCTION "append_stats_of_payment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND stats_has_ended(OLD."status") THEN
    INSERT INTO "stats_deltas" ("scope", "account_id", "quarter", "asset", "status", "payments", "volume", "net", "fee_revenue",
      "volume_microcents", "net_microcents", "fee_microcents")
    SELECT * FROM stats_changes_of_payment(OLD, -1);
  END IF;
  IF TG_OP <> 'DELETE' AND stats_has_ended(NEW."status") THEN
    INSERT INTO "stats_deltas" ("scope", "account_id", "quarter", "asset", "status", "payments", "volume", "net", "fee_revenue",
      "volume_microcents", "net_microcents", "fee_microcents")
    SELECT * FROM stats_changes_of_payment(NEW, 1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "stats_of_created_payment" AFTER INSERT ON "payment_intents" FOR EACH ROW
  WHEN (stats_has_ended(NEW."status")) EXECUTE FUNCTION "append_stats_of_payment"();
CREATE TRIGGER "stats_of_changed_payment" AFTER UPDATE ON "payment_intents" FOR EACH ROW
  WHEN ((stats_has_ended(OLD."status") OR stats_has_ended(NEW."status"))
    AND (OLD."status" <> NEW."status" OR OLD."settlement" IS DISTINCT FROM NEW."settlement"))
  EXECUTE FUNCTION "append_stats_of_payment"();
CREATE TRIGGER "stats_of_deleted_payment" AFTER DELETE ON "payment_intents" FOR EACH ROW
  WHEN (stats_has_ended(OLD."status")) EXECUTE FUNCTION "append_stats_of_payment"();

-- The same for a charge that has succeeded.
CREATE FUNCTION "append_stats_of_charge"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD."status" = 'succeeded' THEN
    INSERT INTO "stats_deltas" ("scope", "account_id", "quarter", "asset", "status", "payments", "volume", "net", "fee_revenue",
      "volume_microcents", "net_microcents", "fee_microcents")
    SELECT * FROM stats_changes_of_charge(OLD, -1);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW."status" = 'succeeded' THEN
    INSERT INTO "stats_deltas" ("scope", "account_id", "quarter", "asset", "status", "payments", "volume", "net", "fee_revenue",
      "volume_microcents", "net_microcents", "fee_microcents")
    SELECT * FROM stats_changes_of_charge(NEW, 1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "stats_of_created_charge" AFTER INSERT ON "charges" FOR EACH ROW
  WHEN (NEW."status" = 'succeeded') EXECUTE FUNCTION "append_stats_of_charge"();
CREATE TRIGGER "stats_of_changed_charge" AFTER UPDATE ON "charges" FOR EACH ROW
  WHEN ((OLD."status" = 'succeeded') <> (NEW."status" = 'succeeded')) EXECUTE FUNCTION "append_stats_of_charge"();
CREATE TRIGGER "stats_of_deleted_charge" AFTER DELETE ON "charges" FOR EACH ROW
  WHEN (OLD."status" = 'succeeded') EXECUTE FUNCTION "append_stats_of_charge"();

-- Counts all figures again, from payments and charges, which cannot change meanwhile. Nor does any worker add up figures, which
-- would count those that it has taken twice.
CREATE FUNCTION "rebuild_stats"() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "payment_intents", "charges", "stats_deltas", "stats_rollups" IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM "stats_rollups";
  DELETE FROM "stats_deltas";
  INSERT INTO "stats_deltas" ("scope", "account_id", "quarter", "asset", "status", "payments", "volume", "net", "fee_revenue",
    "volume_microcents", "net_microcents", "fee_microcents")
  SELECT change.* FROM "payment_intents" payment CROSS JOIN LATERAL stats_changes_of_payment(payment, 1) change
  WHERE stats_has_ended(payment."status")
  UNION ALL
  SELECT change.* FROM "charges" charge CROSS JOIN LATERAL stats_changes_of_charge(charge, 1) change
  WHERE charge."status" = 'succeeded';
END $$;

-- Billing

-- A charge of a subscription that may still move money excludes every other one.
CREATE UNIQUE INDEX "charges_open" ON "charges" ("subscription_id") WHERE status IN ('pending', 'submitted', 'failed');
ALTER TABLE "charges"
  ADD CONSTRAINT "charges_status" CHECK (status IN ('pending', 'submitted', 'succeeded', 'failed', 'canceled')),
  ADD CONSTRAINT "charges_amounts" CHECK (amount > 0 AND amount <= 18446744073709551615 AND fee_amount >= 0
    AND net_amount >= 0 AND fee_amount + net_amount = amount);

-- A subscription never pulls more than its consent.
ALTER TABLE "billing_subscriptions"
  ADD CONSTRAINT "billing_subscriptions_status" CHECK (status IN ('incomplete', 'trialing', 'active', 'renewal_required',
    'past_due', 'paused', 'canceled', 'revoked', 'exhausted', 'failed')),
  ADD CONSTRAINT "billing_subscriptions_discount" CHECK (discounted_amount > 0 AND discounted_amount <= unit_amount
    AND (discounted_periods IS NULL OR discounted_periods >= 0) AND (coupon_id IS NULL) = (discount IS NULL)
    AND (coupon_id IS NOT NULL OR (discounted_amount = unit_amount AND discounted_periods = 0))),
  ADD CONSTRAINT "billing_subscriptions_slice" CHECK (unit_amount > 0 AND spent_amount >= 0
    AND spent_amount <= authorized_amount AND authorized_amount <= 18446744073709551615),
  ADD CONSTRAINT "billing_subscriptions_trial" CHECK ((trial_ends_at IS NULL) = (trial_product_id IS NULL)
    AND (status <> 'trialing' OR trial_ends_at IS NOT NULL));
-- A wallet has one trial of a product, also after the end of that subscription.
CREATE UNIQUE INDEX "billing_subscriptions_one_trial" ON "billing_subscriptions" ("network", "trial_product_id", "subscriber_wallet")
  WHERE "trial_product_id" IS NOT NULL;
-- The due subscriptions are read from the index alone: in a large table each of their rows is on a page of its own.
CREATE INDEX "billing_subscriptions_due" ON "billing_subscriptions" ("network", "due_at")
  INCLUDE ("id")
  WHERE "due_at" IS NOT NULL;
-- The wallets whose refill makes a charge possible again: a first charge, too.
CREATE INDEX "billing_subscriptions_refillable" ON "billing_subscriptions" ("network", "id")
  WHERE status IN ('incomplete', 'past_due');

ALTER TABLE "subscription_intents"
  ADD CONSTRAINT "subscription_intents_status" CHECK (status IN ('open', 'completed', 'canceled'));
ALTER TABLE "subscription_coupons"
  ADD CONSTRAINT "subscription_coupons_discount" CHECK (num_nonnulls(percent_off, amount_off_usd_cents) = 1
    AND coalesce(percent_off, 1) BETWEEN 1 AND 99 AND coalesce(amount_off_usd_cents, 1) > 0 AND min_price_usd_cents > 0),
  ADD CONSTRAINT "subscription_coupons_limits" CHECK (coalesce(periods, 1) > 0 AND coalesce(max_uses, 1) > 0
    AND coalesce(max_uses_per_wallet, 1) > 0);
CREATE UNIQUE INDEX "subscription_coupons_code" ON "subscription_coupons" ("account_id", "code") WHERE archived_at IS NULL;
-- The uses of a coupon are counted: subscriptions that have it, and open checkouts whose approve may still land.
CREATE INDEX "billing_subscriptions_of_coupon" ON "billing_subscriptions" ("coupon_id", "subscriber_wallet")
  INCLUDE ("intent_id") WHERE coupon_id IS NOT NULL;
ALTER TABLE "subscription_tiers"
  ADD CONSTRAINT "subscription_tiers_interval" CHECK (interval IN ('day', 'week', 'month', 'year') AND interval_count > 0),
  ADD CONSTRAINT "subscription_tiers_trial" CHECK (trial_days BETWEEN 0 AND 365),
  ADD CONSTRAINT "subscription_tiers_amounts" CHECK (price_usd_cents > 0 AND authorization_periods > 0
    AND unit_base_units > 0 AND unit_base_units * authorization_periods <= 18446744073709551615);

ALTER TABLE "delegations"
  ADD CONSTRAINT "delegations_status" CHECK (status IN ('pending', 'active', 'exhausted', 'revoked', 'replaced', 'cleared'));
-- The delegations that are read from the chain, the oldest reading first, and those that are read once more after their end.
CREATE INDEX "delegations_stale" ON "delegations" ("network", "chain_checked_at") WHERE status IN ('active', 'exhausted');
CREATE INDEX "delegations_ended_unread" ON "delegations" ("network", "chain_checked_at")
  WHERE "status" = 'cleared' AND "chain_checked_at" < "cleared_at";

-- Two approves in flight would overwrite each other: a delegation has one that may still land.
ALTER TABLE "approvals"
  ADD CONSTRAINT "approvals_state" CHECK (state IN ('prepared', 'sent', 'final_ok', 'final_err', 'dead'));
CREATE UNIQUE INDEX "approvals_live" ON "approvals" ("delegation_id") WHERE state IN ('prepared', 'sent');
CREATE INDEX "approvals_watched" ON "approvals" ("network", "created_at") WHERE state IN ('prepared', 'sent');
CREATE INDEX "approvals_spent" ON "approvals" ("network", "created_at") WHERE state <> 'dead';

-- What the regular job removes is found without the records that are kept.
CREATE INDEX "wallet_challenges_removable" ON "wallet_challenges" ("expires_at")
  WHERE "used_at" IS NULL OR "purpose" = 'recover';
CREATE INDEX "approvals_dead" ON "approvals" ("resolved_at") WHERE "state" = 'dead';
CREATE INDEX "delegations_never_authorized" ON "delegations" ("updated_at") WHERE "epoch" = 0;

-- The event log of a business for a reader of one type, in its order.
CREATE INDEX "events_of_log_by_type" ON "events" ("receiver_account_id", "type", "database_transaction", "sequence")
  WHERE "type" <> 'intent.updated';
-- The entries whose parts a job is still to write. There are few, and a search reads their texts.
CREATE INDEX "payment_search_not_indexed" ON "payment_search" ("caller_account_id") WHERE NOT "is_indexed";

-- Refunds by a business whose history is still read, the longest due first.
CREATE INDEX "refunds_watched" ON "refunds" ("network", "next_look_at") WHERE next_look_at IS NOT NULL;
ALTER TABLE "refunds"
  ADD CONSTRAINT "refunds_status" CHECK (status IN ('open', 'processing', 'succeeded', 'failed', 'canceled', 'expired')),
  ADD CONSTRAINT "refunds_part" CHECK (part = 'payee' OR (part = 'marketplace' AND reverse_fee)),
  ADD CONSTRAINT "refunds_subject" CHECK (num_nonnulls(intent_id, charge_id) = 1 AND num_nonnulls(charge_id, subscription_id) <> 1),
  ADD CONSTRAINT "refunds_amounts" CHECK (amount > 0 AND amount <= 18446744073709551615 AND paid_amount >= 0),
  ADD CONSTRAINT "refunds_paid" CHECK (CASE status WHEN 'succeeded' THEN paid_amount >= amount
    WHEN 'processing' THEN paid_amount > 0 AND paid_amount < amount
    WHEN 'failed' THEN paid_amount > 0 AND paid_amount < amount
    WHEN 'canceled' THEN paid_amount < amount ELSE paid_amount = 0 END),
  ADD CONSTRAINT "refunds_ended" CHECK (CASE WHEN status IN ('open', 'processing') THEN ended_at IS NULL
    ELSE ended_at IS NOT NULL OR status = 'canceled' END);
ALTER TABLE "refund_transactions" ADD CONSTRAINT "refund_transactions_amount" CHECK (amount > 0);
ALTER TABLE "refund_limits"
  ADD CONSTRAINT "refund_limits_counted" CHECK (counted >= 0 AND counted <= settled);

-- What a refund takes of what settled: its amount until it has ended and when it succeeded, otherwise only what was paid.
CREATE FUNCTION "refund_counted"("status" TEXT, "ended_at" TIMESTAMPTZ, "amount" NUMERIC, "paid_amount" NUMERIC)
RETURNS NUMERIC LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN "status" = 'succeeded' OR "ended_at" IS NULL THEN "amount" ELSE "paid_amount" END
$$;

CREATE FUNCTION "count_refund"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "before" NUMERIC := CASE WHEN TG_OP = 'INSERT' THEN 0
    ELSE refund_counted(OLD.status, OLD.ended_at, OLD.amount, OLD.paid_amount) END;
  "after" NUMERIC := refund_counted(NEW.status, NEW.ended_at, NEW.amount, NEW.paid_amount);
BEGIN
  IF "before" = "after" THEN RETURN NULL; END IF;
  UPDATE "refund_limits" SET counted = counted + "after" - "before"
  WHERE subject_id = coalesce(NEW.intent_id, NEW.charge_id);
  IF NOT FOUND THEN RAISE EXCEPTION 'a refund has no limit'; END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "count_refund" AFTER INSERT OR UPDATE ON "refunds" FOR EACH ROW EXECUTE FUNCTION "count_refund"();
