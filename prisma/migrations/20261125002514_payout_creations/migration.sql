-- CreateTable
CREATE TABLE "payout_creations" (
    "network" "network_name" NOT NULL,
    "account_id" UUID NOT NULL,
    "transfer_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "planned_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payout_creations_pkey" PRIMARY KEY ("network","account_id")
);

-- AddForeignKey
ALTER TABLE "payout_creations" ADD CONSTRAINT "payout_creations_transfer_id_fkey" FOREIGN KEY ("transfer_id") REFERENCES "transfers"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The creations until now: the rent of a token account is more than the fee of a charge can be.
INSERT INTO "payout_creations" ("network", "account_id", "transfer_id", "attempt", "planned_at")
SELECT DISTINCT ON (charge.network, charge.account_id) charge.network, charge.account_id, attempt.transfer_id, attempt.number,
  attempt.created_at
FROM "ledger_entries" entry
JOIN "charges" charge ON charge.id = entry.subject_id
JOIN "transfer_attempts" attempt ON attempt.signature = entry.signature
WHERE entry.kind = 'charge' AND entry.asset = 'SOL' AND entry.delta < -1200000
ORDER BY charge.network, charge.account_id, entry.created_at DESC;

DROP INDEX "ledger_entries_charge_rent";
