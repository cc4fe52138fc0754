-- CreateIndex
CREATE INDEX "ledger_entries_network_slot_idx" ON "ledger_entries"("network", "slot");
