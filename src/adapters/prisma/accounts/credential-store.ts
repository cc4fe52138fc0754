// Finds whether credentials exist. Anyone can send wrong ones, so lookups of all kinds that arrive together share one
// statement, which reads indexes only.
import { type Database, isDatabaseUnavailable } from '#adapters/prisma/engine/database.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { CredentialStore } from '#ports/secrets.ts'

const MAX_BATCH = 200
/** The pool has ten connections; the rest are for work of proved callers. */
const CONCURRENT_BATCHES = 2

export const createCredentialStore = (db: Pick<Database, 'query'>): CredentialStore => ({
  isIssued: createBatcher(
    async (hashes: readonly Uint8Array[]) => {
      const rows = await db.query<{ place: bigint }>(ISSUED, [hashes])
      const issued = new Set(rows.map(({ place }) => Number(place)))
      return hashes.map((_, at) => issued.has(at + 1))
    },
    { maxSize: MAX_BATCH, concurrency: CONCURRENT_BATCHES, isSharedFailure: isDatabaseUnavailable },
  ),
})

/** Each table and the condition of a row that has the hash. */
const PLACES = [
  'payment_intents WHERE client_secret_hash = asked.hash',
  'api_keys WHERE hash = asked.hash AND (revoked_at IS NULL OR revoked_at > now())',
  'subscription_intents WHERE token_hash = asked.hash',
  'portal_sessions WHERE token_hash = asked.hash',
  'sessions WHERE token_hash = asked.hash',
  'login_links WHERE token_hash = asked.hash',
]

// Row by row, because a planner that believes in a small table would read all of it for a handful of rows.
const ISSUED = `
SELECT asked.place
FROM unnest($1::bytea[]) WITH ORDINALITY AS asked(hash, place)
CROSS JOIN LATERAL (
  ${PLACES.map((place) => `(SELECT FROM ${place} LIMIT 1)`).join(' UNION ALL ')}
  LIMIT 1) issued`
