-- CreateTable
CREATE TABLE "custodians" (
    "network" "network_name" NOT NULL,
    "address" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custodians_pkey" PRIMARY KEY ("network","address")
);
