// Writes the parts by which a search finds payments. Instances may do it at the same time: each takes entries that no other one
// has locked.

import { createHash } from 'node:crypto'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { PART_LENGTHS, SEPARATOR } from '#core/marketplace/search.ts'
import type { MetadataEntry } from '#core/metadata.ts'
import type { SearchIndexStore } from '#ports/payments.ts'

/** The parts are those of `searchPartsOf`. They are found here, so that they do not travel. */
const INDEX = `
WITH taken AS (
  SELECT intent_id, text FROM payment_search WHERE NOT is_indexed LIMIT $1 FOR UPDATE SKIP LOCKED
), indexed AS (
  UPDATE payment_search entry SET is_indexed = true, parts = ARRAY(
    SELECT DISTINCT substr(line, start, length)
    FROM string_to_table(taken.text, $2) line, unnest('{${PART_LENGTHS.join(',')}}'::int[]) length,
      generate_series(1, char_length(line) - length + 1) start)
  FROM taken WHERE entry.intent_id = taken.intent_id
  RETURNING entry.intent_id
)
SELECT count(*)::int AS count FROM indexed`

export function createSearchIndexStore(db: Pick<Database, 'query'>): SearchIndexStore {
  return {
    async index(limit) {
      const [row] = await db.query<{ count: number }>(INDEX, [limit, SEPARATOR])
      return row?.count ?? 0
    },
  }
}

// An entry of metadata as the database finds payments by it. A digest, because an entry of an index has at most 2,704 bytes.

/** Returns the digest of a key and its value, of a payment that the account created. */
export const digestOf = (callerAccountId: string, entry: MetadataEntry): Uint8Array =>
  createHash('sha256')
    .update(JSON.stringify([callerAccountId, ...entry]))
    .digest()
