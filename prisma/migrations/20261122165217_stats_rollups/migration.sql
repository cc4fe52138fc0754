-- The figures of marketplaces: changes are appended by a trigger, and a job adds them to the rollups.
-- CreateTable
CREATE TABLE "stats_deltas" (
    "id" BIGSERIAL NOT NULL,
    "marketplace_account_id" UUID NOT NULL,
    "seller_account_id" UUID NOT NULL,
    "quarter" TIMESTAMPTZ(3) NOT NULL,
    "asset" TEXT NOT NULL,
    "status" "intent_status" NOT NULL,
    "payments" INTEGER NOT NULL,
    "volume" DECIMAL(60,0) NOT NULL,
    "fee_revenue" DECIMAL(60,0) NOT NULL,
    "volume_microcents" DECIMAL(60,0) NOT NULL,
    "fee_microcents" DECIMAL(60,0) NOT NULL,

    CONSTRAINT "stats_deltas_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stats_rollups" (
    "account_id" UUID NOT NULL,
    "span" INTEGER NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "asset" TEXT NOT NULL,
    "pending" INTEGER NOT NULL,
    "underpaid" INTEGER NOT NULL,
    "paid" INTEGER NOT NULL,
    "overpaid" INTEGER NOT NULL,
    "settling" INTEGER NOT NULL,
    "swept" INTEGER NOT NULL,
    "refunding" INTEGER NOT NULL,
    "refunded" INTEGER NOT NULL,
    "cancelled" INTEGER NOT NULL,
    "settle_failed" INTEGER NOT NULL,
    "refund_failed" INTEGER NOT NULL,
    "volume" DECIMAL(60,0) NOT NULL,
    "fee_revenue" DECIMAL(60,0) NOT NULL,
    "volume_microcents" DECIMAL(60,0) NOT NULL,
    "fee_microcents" DECIMAL(60,0) NOT NULL,

    CONSTRAINT "stats_rollups_pkey" PRIMARY KEY ("account_id","span","start","asset")
);

-- CreateIndex
CREATE INDEX "stats_deltas_marketplace_account_id_quarter_idx" ON "stats_deltas"("marketplace_account_id", "quarter");

-- CreateIndex
CREATE INDEX "stats_deltas_seller_account_id_quarter_idx" ON "stats_deltas"("seller_account_id", "quarter");

-- Rows come and go all the time.
ALTER TABLE "stats_deltas" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What a payment adds to the figures of its marketplace. The value in cents is at the rate that the payment locked, rounded
-- down to a millionth of a cent.
CREATE FUNCTION "stats_of_payment"("payment" "payment_intents")
RETURNS TABLE ("asset" TEXT, "volume" NUMERIC, "fee_revenue" NUMERIC, "volume_microcents" NUMERIC, "fee_microcents" NUMERIC)
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof("payment"."settlement") = 'object' THEN coalesce("payment"."asset", '') ELSE '' END,
    moved."volume", moved."fee",
    coalesce(div(moved."volume" * "payment"."price_usd_cents" * 1000000, nullif("payment"."expected_amount", 0)), 0),
    coalesce(div(moved."fee" * "payment"."price_usd_cents" * 1000000, nullif("payment"."expected_amount", 0)), 0)
  FROM (
    SELECT coalesce(sum((leg->>'amount')::NUMERIC) FILTER (WHERE leg->>'role' <> 'refund'), 0) AS "volume",
      coalesce(sum((leg->>'amount')::NUMERIC) FILTER (WHERE leg->>'role' = 'marketplace'), 0) AS "fee"
    FROM jsonb_array_elements(
      CASE WHEN jsonb_typeof("payment"."settlement") = 'object' THEN "payment"."settlement"->'legs' ELSE '[]'::JSONB END) leg
  ) moved
$$;

CREATE FUNCTION "stats_quarter"("at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('15 minutes', "at", '2000-01-01T00:00:00Z')
$$;

-- A payment for a seller adds what it is now, and takes back what it was.
CREATE FUNCTION "append_stats"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO "stats_deltas" ("marketplace_account_id", "seller_account_id", "quarter", "asset", "status", "payments",
      "volume", "fee_revenue", "volume_microcents", "fee_microcents")
    SELECT OLD."caller_account_id", OLD."account_id", stats_quarter(OLD."created_at"), was."asset", OLD."status", -1,
      -was."volume", -was."fee_revenue", -was."volume_microcents", -was."fee_microcents"
    FROM stats_of_payment(OLD) was;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO "stats_deltas" ("marketplace_account_id", "seller_account_id", "quarter", "asset", "status", "payments",
      "volume", "fee_revenue", "volume_microcents", "fee_microcents")
    SELECT NEW."caller_account_id", NEW."account_id", stats_quarter(NEW."created_at"), present."asset", NEW."status", 1,
      present."volume", present."fee_revenue", present."volume_microcents", present."fee_microcents"
    FROM stats_of_payment(NEW) present;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "stats_of_created_payment" AFTER INSERT ON "payment_intents" FOR EACH ROW
  WHEN (NEW."account_id" <> NEW."caller_account_id") EXECUTE FUNCTION "append_stats"();
CREATE TRIGGER "stats_of_changed_payment" AFTER UPDATE ON "payment_intents" FOR EACH ROW
  WHEN (NEW."account_id" <> NEW."caller_account_id"
    AND (OLD."status" <> NEW."status" OR OLD."settlement" IS DISTINCT FROM NEW."settlement"))
  EXECUTE FUNCTION "append_stats"();
CREATE TRIGGER "stats_of_deleted_payment" AFTER DELETE ON "payment_intents" FOR EACH ROW
  WHEN (OLD."account_id" <> OLD."caller_account_id") EXECUTE FUNCTION "append_stats"();

INSERT INTO "stats_deltas" ("marketplace_account_id", "seller_account_id", "quarter", "asset", "status", "payments",
  "volume", "fee_revenue", "volume_microcents", "fee_microcents")
SELECT payment."caller_account_id", payment."account_id", stats_quarter(payment."created_at"), present."asset",
  payment."status", 1, present."volume", present."fee_revenue", present."volume_microcents", present."fee_microcents"
FROM "payment_intents" payment CROSS JOIN LATERAL stats_of_payment(payment) present
WHERE payment."account_id" <> payment."caller_account_id";
