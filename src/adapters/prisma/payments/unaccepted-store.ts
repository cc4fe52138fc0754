import type { Database } from '#adapters/prisma/engine/database.ts'
import { MAX_UNACCEPTED_MINTS } from '#core/payments/deposits/unaccepted.ts'
import type { UnacceptedStore, UnacceptedToken } from '#ports/held.ts'

// Mints beyond the cap share the row whose mint is empty. The total has 40 digits: more than a count of 64 bits times an
// amount of 64 bits, so it cannot overflow.
const RECORD = `
WITH seen AS (
  SELECT mint, signature, amount::numeric AS amount, slot::bigint AS slot
  FROM jsonb_to_recordset($2::jsonb) AS given (mint text, signature text, amount text, slot text)
), known AS (
  SELECT mint, last_slot FROM unaccepted_tokens WHERE intent_id = $1::uuid
), fresh AS (
  SELECT mint, row_number() OVER (ORDER BY min(slot), mint) AS place
  FROM seen WHERE mint NOT IN (SELECT mint FROM known) GROUP BY mint
), named AS (
  SELECT CASE WHEN place > $3::int - (SELECT count(*) FROM known WHERE mint <> '') THEN '' ELSE seen.mint END AS mint,
    signature, amount, slot
  FROM seen LEFT JOIN fresh USING (mint)
), unseen AS (
  SELECT named.* FROM named LEFT JOIN known USING (mint) WHERE known.mint IS NULL OR named.slot > known.last_slot
)
INSERT INTO unaccepted_tokens AS record
  (intent_id, mint, arrivals, amount, first_signature, last_signature, last_slot, first_seen_at, last_seen_at)
SELECT $1::uuid, mint, count(*), CASE WHEN mint = '' THEN 0 ELSE sum(amount) END,
  (array_agg(signature ORDER BY slot, signature))[1],
  (array_agg(signature ORDER BY slot DESC, signature DESC))[1], max(slot), $4, $4
FROM unseen GROUP BY mint
ON CONFLICT (intent_id, mint) DO UPDATE SET arrivals = record.arrivals + excluded.arrivals,
  amount = record.amount + excluded.amount, last_signature = excluded.last_signature,
  last_slot = excluded.last_slot, last_seen_at = excluded.last_seen_at`

const LIST = `
SELECT record.intent_id AS "intentId", intent.derivation_index AS "intentIndex", intent.network, intent.address,
  nullif(record.mint, '') AS mint, token.enabled IS TRUE AS "isAllowed", record.arrivals,
  CASE WHEN record.mint <> '' THEN record.amount END AS amount, record.first_signature AS "firstSignature",
  record.last_signature AS "lastSignature", record.first_seen_at AS "firstSeenAt", record.last_seen_at AS "lastSeenAt"
FROM unaccepted_tokens record
JOIN payment_intents intent ON intent.id = record.intent_id
LEFT JOIN tokens token ON token.network = intent.network AND token.asset = record.mint
WHERE ($1::network_name IS NULL OR intent.network = $1::network_name)
  AND ($2::uuid IS NULL OR record.intent_id = $2::uuid)
  AND ($3::int IS NULL OR intent.derivation_index = $3::int)
ORDER BY record.last_seen_at DESC, record.intent_id, record.mint
LIMIT $4::int`

type ListRow = Omit<UnacceptedToken, 'amount'> & { readonly amount: string | null }

export function createUnacceptedStore(db: Pick<Database, 'query'>): UnacceptedStore {
  return {
    async record(intentId, arrivals, now) {
      if (arrivals.length === 0) return
      const seen = arrivals.map(({ asset, signature, amount, slot }) => ({
        mint: asset,
        signature,
        amount: amount.toString(),
        slot: slot.toString(),
      }))
      await db.query(RECORD, [intentId, JSON.stringify(seen), MAX_UNACCEPTED_MINTS, now])
    },

    async list({ network, intent, limit }) {
      const id = intent !== null && 'id' in intent ? intent.id : null
      const index = intent !== null && 'index' in intent ? intent.index : null
      const rows = await db.query<ListRow>(LIST, [network, id, index, limit])
      return rows.map(({ amount, ...row }) => ({ ...row, amount: amount === null ? null : BigInt(amount) }))
    },
  }
}
