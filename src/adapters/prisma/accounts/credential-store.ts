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
  isOfDisabled: async (hash) => (await db.query(OF_DISABLED, [hash])).length > 0,
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

const OF_DISABLED = `
SELECT FROM (
  SELECT account_id FROM payment_intents WHERE client_secret_hash = $1
  UNION ALL SELECT account_id FROM subscription_intents WHERE token_hash = $1
  UNION ALL SELECT subscription.account_id FROM portal_sessions session
    JOIN billing_subscriptions subscription ON subscription.id = session.subscription_id WHERE session.token_hash = $1
) page
JOIN accounts account ON account.id = page.account_id
LEFT JOIN accounts marketplace ON marketplace.id = account.marketplace_account_id
WHERE account.disabled_at IS NOT NULL OR marketplace.disabled_at IS NOT NULL`
