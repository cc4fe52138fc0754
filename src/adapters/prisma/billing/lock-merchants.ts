import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'

// In the order of their ids, as every transaction that locks several of them.
const LOCK = `SELECT 1 FROM accounts WHERE id = ANY($1::uuid[]) AND archived_at IS NULL ORDER BY id FOR SHARE`

/**
 * Keeps the businesses of checkouts from being archived until the transaction ends: an archive waits, and then finds what was
 * written. Throws VersionConflict when one of them is archived.
 */
export async function lockMerchants(tx: Pick<Tx, '$queryRawUnsafe'>, accountIds: readonly string[]): Promise<void> {
  const ids = [...new Set(accountIds)]
  if (ids.length === 0) return
  const rows = await tx.$queryRawUnsafe<unknown[]>(LOCK, ids)
  if (rows.length !== ids.length) throw new VersionConflict()
}
