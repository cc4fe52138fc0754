-- Counts the figures of every marketplace again, from the payments. Payments cannot change meanwhile.
CREATE FUNCTION "rebuild_stats"() RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE "payment_intents" IN SHARE ROW EXCLUSIVE MODE;
  DELETE FROM "stats_rollups";
  DELETE FROM "stats_deltas";
  INSERT INTO "stats_deltas" ("marketplace_account_id", "seller_account_id", "quarter", "asset", "status", "payments",
    "volume", "fee_revenue", "volume_microcents", "fee_microcents")
  SELECT payment."caller_account_id", payment."account_id", stats_quarter(payment."created_at"), present."asset",
    payment."status", 1, present."volume", present."fee_revenue", present."volume_microcents", present."fee_microcents"
  FROM "payment_intents" payment CROSS JOIN LATERAL stats_of_payment(payment) present
  WHERE payment."account_id" <> payment."caller_account_id";
END $$;
