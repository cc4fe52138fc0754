-- CreateTable
CREATE TABLE "unaccepted_tokens" (
    "intent_id" UUID NOT NULL,
    "mint" TEXT NOT NULL,
    "arrivals" BIGINT NOT NULL,
    "amount" DECIMAL(40,0) NOT NULL,
    "first_signature" TEXT NOT NULL,
    "last_signature" TEXT NOT NULL,
    "last_slot" BIGINT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unaccepted_tokens_pkey" PRIMARY KEY ("intent_id","mint")
);

-- CreateIndex
CREATE INDEX "unaccepted_tokens_mint_idx" ON "unaccepted_tokens"("mint");

-- CreateIndex
CREATE INDEX "unaccepted_tokens_last_seen_at_idx" ON "unaccepted_tokens"("last_seen_at");

-- AddForeignKey
ALTER TABLE "unaccepted_tokens" ADD CONSTRAINT "unaccepted_tokens_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "payment_intents"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Moves what was stored as deposits until now: tokens that are not allowed, and of which no transfer took anything. Ledger
-- entries stay, because they are only ever added to; they say what the chain did, and count again with the deposits if
-- the token is ever allowed.
WITH "moved" AS (
  DELETE FROM "deposits" deposit USING "payment_intents" intent
  WHERE intent."id" = deposit."intent_id" AND deposit."use" = 'held' AND deposit."state" <> 'dropped'
    AND deposit."asset" <> 'SOL' AND NOT deposit."asset" = ANY (intent."accepted_assets")
    AND NOT EXISTS (
      SELECT FROM "tokens" token
      WHERE token."network" = deposit."network" AND token."asset" = deposit."asset" AND token."enabled")
    AND NOT EXISTS (
      SELECT FROM "transfers" transfer
      WHERE transfer."intent_id" = deposit."intent_id" AND transfer."asset" = deposit."asset")
  RETURNING deposit.*
), "ranked" AS (
  SELECT "intent_id", "asset", row_number() OVER (PARTITION BY "intent_id" ORDER BY min("slot"), "asset") AS "place"
  FROM "moved" GROUP BY "intent_id", "asset"
), "named" AS (
  SELECT moved."intent_id", CASE WHEN ranked."place" > 20 THEN '' ELSE moved."asset" END AS "mint", moved."amount",
    moved."signature", moved."slot", moved."seen_at"
  FROM "moved" JOIN "ranked" USING ("intent_id", "asset")
)
INSERT INTO "unaccepted_tokens" ("intent_id", "mint", "arrivals", "amount", "first_signature", "last_signature",
  "last_slot", "first_seen_at", "last_seen_at")
SELECT "intent_id", "mint", count(*), CASE WHEN "mint" = '' THEN 0 ELSE sum("amount") END,
  (array_agg("signature" ORDER BY "slot", "signature"))[1],
  (array_agg("signature" ORDER BY "slot" DESC, "signature" DESC))[1], max("slot"), min("seen_at"), max("seen_at")
FROM "named" GROUP BY "intent_id", "mint";

-- What was moved is not told as held any more.
UPDATE "payment_intents" intent
SET "held" = coalesce((
  SELECT jsonb_agg("part" ORDER BY "place")
  FROM jsonb_array_elements(intent."held") WITH ORDINALITY AS given ("part", "place")
  WHERE NOT ("part" ->> 'reason' = 'This token is not accepted here.' AND NOT EXISTS (
    SELECT FROM "deposits" deposit
    WHERE deposit."intent_id" = intent."id" AND deposit."asset" = "part" ->> 'mint' AND deposit."use" = 'held'))
), '[]')
WHERE intent."held" @> '[{"reason": "This token is not accepted here."}]';
