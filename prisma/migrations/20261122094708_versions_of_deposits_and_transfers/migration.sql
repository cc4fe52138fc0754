-- AlterTable
ALTER TABLE "deposits" ADD COLUMN     "seen_version" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "transfers" ADD COLUMN     "planned_version" INTEGER NOT NULL DEFAULT 0;

-- What is there already keeps the order of its times.
CREATE TEMPORARY TABLE earlier_versions AS
  SELECT intent_id, at, dense_rank() OVER (PARTITION BY intent_id ORDER BY at)::int AS version
  FROM (SELECT intent_id, seen_at AS at FROM deposits
        UNION SELECT intent_id, created_at FROM transfers WHERE intent_id IS NOT NULL) moments;
UPDATE deposits SET seen_version = version FROM earlier_versions earlier
  WHERE earlier.intent_id = deposits.intent_id AND at = seen_at;
UPDATE transfers SET planned_version = version FROM earlier_versions earlier
  WHERE earlier.intent_id = transfers.intent_id AND at = created_at;
DROP TABLE earlier_versions;
