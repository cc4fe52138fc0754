-- AlterTable
ALTER TABLE "subscription_products" ADD COLUMN     "search_parts" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "search_text" TEXT NOT NULL DEFAULT '';

-- CreateIndex
CREATE INDEX "subscription_products_search_parts_idx" ON "subscription_products" USING GIN ("search_parts");
