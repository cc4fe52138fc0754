-- CreateTable
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

-- CreateIndex
CREATE UNIQUE INDEX "operator_log_position_key" ON "operator_log"("position");
