import type { Database } from '#adapters/prisma/engine/database.ts'
import type { IdempotencyStore } from '#ports/accounts.ts'

// The row is written in either case, so that of two claims at once the second sees the first. A forgotten claim is replaced whole.
const CLAIM = `
INSERT INTO idempotency_keys AS known (account_id, key_hash, request_hash, object_id, created_at)
VALUES ($1::uuid, $2::bytea, $3::bytea, $4::uuid, $5)
ON CONFLICT (account_id, key_hash) DO UPDATE SET
  (request_hash, object_id, created_at) = (
    SELECT CASE WHEN known.created_at < $6 THEN $3::bytea ELSE coalesce(known.request_hash, $3::bytea) END,
      CASE WHEN known.created_at < $6 THEN $4::uuid ELSE known.object_id END,
      CASE WHEN known.created_at < $6 THEN $5 ELSE known.created_at END)
RETURNING object_id AS "objectId", request_hash = $3::bytea AS "isSameRequest"`

const REMOVE = `
DELETE FROM idempotency_keys WHERE (account_id, key_hash) IN (
  SELECT account_id, key_hash FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2::int)
RETURNING 1 AS one`

export const createIdempotencyStore = (db: Pick<Database, 'query' | 'prisma'>): IdempotencyStore => ({
  async claim({ accountId, keyHash, requestHash, objectId, createdAt }, since) {
    const params = [accountId, keyHash, requestHash, objectId, createdAt, since]
    const [row] = await db.query<{ objectId: string; isSameRequest: boolean }>(CLAIM, params)
    if (row === undefined) throw new Error('a claim that is written in either case was not written')
    return row
  },

  async release({ accountId, keyHash }, objectId) {
    const where = { accountId, keyHash: Uint8Array.from(keyHash), objectId }
    await db.prisma.idempotencyKey.updateMany({ where, data: { requestHash: null } })
  },

  removeExpired: async (before, limit) => (await db.query(REMOVE, [before, limit])).length,
})
