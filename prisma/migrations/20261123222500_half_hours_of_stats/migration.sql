-- Rollups have half hours too: a day of a time zone that is half an hour off is read from fewer of them.
-- No change is added to the rollups meanwhile.
LOCK TABLE "stats_rollups" IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO "stats_rollups" ("account_id", "span", "start", "asset", "pending", "underpaid", "paid", "overpaid", "settling",
  "swept", "refunding", "refunded", "cancelled", "settle_failed", "refund_failed", "volume", "fee_revenue",
  "volume_microcents", "fee_microcents")
SELECT "account_id", 1800, date_bin('30 minutes', "start", '2000-01-01T00:00:00Z'), "asset", sum("pending"), sum("underpaid"),
  sum("paid"), sum("overpaid"), sum("settling"), sum("swept"), sum("refunding"), sum("refunded"), sum("cancelled"),
  sum("settle_failed"), sum("refund_failed"), sum("volume"), sum("fee_revenue"), sum("volume_microcents"),
  sum("fee_microcents")
FROM "stats_rollups" WHERE "span" = 900 GROUP BY 1, 2, 3, 4;
