-- A transfer that waits for the budget of its kind keeps its place before later transfers.
ALTER TABLE "transfers" ADD COLUMN     "budget_wait_cost" BIGINT;

CREATE INDEX "transfers_waiting_for_budget" ON "transfers" ("network", "kind", "created_at")
  WHERE "budget_wait_cost" IS NOT NULL AND "status" IN ('planned', 'in_progress');
