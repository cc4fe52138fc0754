import { SUBSCRIPTION_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import { type Tx, VersionConflict } from '#adapters/prisma/transaction.ts'
import { type Delegation, NOT_STORED } from '#core/billing/delegation.ts'
import type { DecidedCheckout } from '#ports/checkouts.ts'
import { DELEGATIONS, SUBSCRIPTION_INTENTS } from './tables.ts'

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

/** Tells the followers of a checkout that it has changed, when the transaction commits. */
export const noticeOfCheckout = (tx: Pick<Tx, '$queryRaw'>, intentId: string) =>
  tx.$queryRaw`SELECT pg_notify(${SUBSCRIPTION_CHANGED}, ${intentId})::text`

/**
 * Writes what an authorization was decided by. Throws VersionConflict when it has changed since it was read, when a new
 * delegation has been stored meanwhile, and when its business is archived.
 */
export async function writeDecided(tx: Tx, { delegation, version, checkout }: DecidedCheckout): Promise<void> {
  const value = { ...delegation, version: version + 1 }
  if (version === NOT_STORED) await insertDelegation(tx, value)
  else await DELEGATIONS.update(tx, [{ value, version }])
  if (checkout === null) return
  await lockMerchants(tx, [checkout.after.accountId])
  await SUBSCRIPTION_INTENTS.update(tx, [{ value: checkout.after, version: checkout.before.version }])
  await noticeOfCheckout(tx, checkout.after.id)
}

async function insertDelegation(tx: Tx, delegation: Delegation): Promise<void> {
  try {
    await DELEGATIONS.insert(tx, [delegation])
  } catch (error) {
    if (isUniqueViolation(error)) throw new VersionConflict()
    throw error
  }
}
