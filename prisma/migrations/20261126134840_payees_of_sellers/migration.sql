-- A payment of a business itself names one account twice. The foreign key of the payee looked that account up a second time
-- for each payment, so it is on the payee of a payment for a seller only, which is another account. Adding the column
-- writes the whole table again.
ALTER TABLE "payment_intents"
  DROP CONSTRAINT "payment_intents_account_id_fkey",
  ADD COLUMN "seller_account_id" UUID GENERATED ALWAYS AS (NULLIF("account_id", "caller_account_id")) STORED
    CONSTRAINT "payment_intents_seller_account_id_fkey" REFERENCES "accounts" ("id") ON DELETE RESTRICT;
-- before comparing: ALTER TABLE "payment_intents" DROP COLUMN "seller_account_id";
-- before comparing: ALTER TABLE "payment_intents" ADD CONSTRAINT "payment_intents_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
