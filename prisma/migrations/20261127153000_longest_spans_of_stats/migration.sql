-- Rollups have sixteen days as well: the sum of a year is read from a few of them.
-- No change is added to the rollups meanwhile.
LOCK TABLE "stats_rollups" IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO "stats_rollups" ("account_id", "span", "start", "asset", "pending", "underpaid", "paid", "overpaid", "settling",
  "swept", "refunding", "refunded", "cancelled", "settle_failed", "refund_failed", "volume", "fee_revenue",
  "volume_microcents", "fee_microcents")
SELECT "account_id", 1382400, date_bin('16 days', "start", '1970-01-01T00:00:00Z'), "asset",
  sum("pending"), sum("underpaid"), sum("paid"), sum("overpaid"), sum("settling"), sum("swept"), sum("refunding"),
  sum("refunded"), sum("cancelled"), sum("settle_failed"), sum("refund_failed"), sum("volume"), sum("fee_revenue"),
  sum("volume_microcents"), sum("fee_microcents")
FROM "stats_rollups" WHERE "span" = 86400 GROUP BY 1, 3, 4;
