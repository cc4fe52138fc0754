-- CreateTable
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

-- CreateIndex
CREATE INDEX "set_aside_payments_network_next_look_at_idx" ON "set_aside_payments"("network", "next_look_at");

-- AddForeignKey
ALTER TABLE "set_aside_payments" ADD CONSTRAINT "set_aside_payments_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
