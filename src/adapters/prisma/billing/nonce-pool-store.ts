// The pool of durable nonce accounts.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { TRANSFERS_DUE } from '#adapters/prisma/engine/notices.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import { unlessChanged } from '#adapters/prisma/transaction.ts'
import { LIVE_ATTEMPTS } from '#adapters/prisma/transfers/live-attempts.ts'
import { finishTransfer } from '#adapters/prisma/transfers/outcomes.ts'
import { writeStatusOverride, writeTransfers } from '#adapters/prisma/transfers/records.ts'
import { type FailedCreation, NONCE, nonceAccountId } from '#core/billing/nonce-pool.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Network } from '#core/chain/types.ts'
import type { NoncePoolStore } from '#ports/nonce-pool.ts'

const FINAL_STATES = "'final_ok', 'final_err'"

const DEMAND = `
SELECT count(*)::int AS demand FROM transfers
WHERE network = $1::network_name AND kind = ANY ($2::text[]) AND status IN ('planned', 'in_progress')
  AND next_attempt_at <= $3`

const ACCOUNTS = 'SELECT count(*)::int AS accounts FROM nonce_accounts WHERE network = $1::network_name'

/** Each account that is still being created, and whose rounds have all failed. */
const FAILED = `
SELECT account.index, count(*)::int AS rounds, max(transfer.done_at) AS "failedAt",
  (count(*) FILTER (WHERE EXISTS (
    SELECT FROM transfer_attempts attempt WHERE attempt.transfer_id = transfer.id AND attempt.state = 'final_err')))::int AS paid
FROM nonce_accounts account
JOIN transfers transfer ON transfer.subject_kind = '${NONCE}' AND transfer.source = account.address
WHERE account.network = $1::network_name AND account.state = 'creating'
GROUP BY account.index HAVING bool_and(transfer.status = 'failed')
ORDER BY account.index`

/**
 * An account is free when no attempt with its value is live, and no worker is between the lease of the account and the
 * storing of an attempt. SKIP LOCKED: statements that lease at the same time lease different accounts.
 * The conditions are counts: PostgreSQL computes them again for a row that another lease has just changed. It makes a join of
 * NOT EXISTS, and does not read the other side of a join again, so two transfers would lease one account.
 */
const LEASE = `
WITH own AS (
  SELECT network, index, transfer_id FROM nonce_accounts
  WHERE network = $1::network_name AND state = 'ready' AND transfer_id = ANY ($2::uuid[])
), waiting AS (
  SELECT id, row_number() OVER (ORDER BY place) AS turn FROM unnest($2::uuid[]) WITH ORDINALITY asked (id, place)
  WHERE id NOT IN (SELECT transfer_id FROM own)
), locked AS (
  SELECT account.network, account.index FROM nonce_accounts account
  WHERE account.network = $1::network_name AND account.state = 'ready'
    AND account.index NOT IN (SELECT index FROM own)
    AND (SELECT count(*) FROM transfer_attempts attempt
      WHERE attempt.nonce_account = account.address AND attempt.state IN ${LIVE_ATTEMPTS}) = 0
    AND (SELECT count(*) FROM transfers holder
      WHERE holder.id = account.transfer_id AND holder.status = 'in_progress' AND holder.lease_until > $3) = 0
  ORDER BY account.updated_at, account.index LIMIT (SELECT count(*) FROM waiting) FOR UPDATE SKIP LOCKED
), free AS (
  SELECT network, index, row_number() OVER () AS turn FROM locked
)
UPDATE nonce_accounts account SET transfer_id = chosen.transfer_id, updated_at = $3
FROM (
  SELECT network, index, transfer_id FROM own
  UNION ALL SELECT free.network, free.index, waiting.id FROM free JOIN waiting USING (turn)
) chosen
WHERE account.network = chosen.network AND account.index = chosen.index
RETURNING account.transfer_id::text AS "transferId", account.address`

const USED_IN = `
SELECT used.account, max(attempt.slot) AS slot
FROM unnest($1::text[], $2::text[]) used (account, value)
JOIN transfer_attempts attempt ON attempt.nonce_account = used.account AND attempt.blockhash = used.value
WHERE attempt.state IN (${FINAL_STATES}) GROUP BY used.account`

export const createNoncePoolStore = (db: Database): NoncePoolStore => ({
  async state(network, kinds, until) {
    const [counted] = await db.query<{ accounts: number }>(ACCOUNTS, [network])
    const failed = await db.query<FailedCreation>(FAILED, [network])
    return { accounts: counted?.accounts ?? 0, demand: await demandOf(db, network, kinds, until), failed }
  },

  demand: (network, kinds, until) => demandOf(db, network, kinds, until),

  plan: (creation) => planCreation(db, creation),

  planAgain: (transferId, now) => planFailedAgain(db, transferId, now),

  async lease(network, transferIds, now) {
    const leased = await db.query<{ transferId: string; address: string }>(LEASE, [network, transferIds, now])
    return new Map(leased.map(({ transferId, address }) => [transferId, makeAddress(address)]))
  },

  async usedIn(values) {
    const used = await db.query<{ account: string; slot: bigint | null }>(USED_IN, [
      [...values.keys()],
      [...values.values()],
    ])
    return new Map(used.flatMap(({ account, slot }) => (slot === null ? [] : [[makeAddress(account), slot]])))
  },

  finish: (lease, { attempt, isReady, ...outcome }) =>
    db.prisma.$transaction(async (tx) => {
      const status = isReady ? 'done' : 'failed'
      const attemptEnd = { attemptId: attempt?.id ?? null, attemptState: attempt?.state ?? null }
      const isFinished = await finishTransfer(tx, lease, { ...outcome, ...attemptEnd, status })
      if (isFinished && isReady) {
        const { source } = await tx.transfer.findUniqueOrThrow({
          where: { id: lease.transferId },
          select: { source: true },
        })
        await tx.nonceAccount.update({ where: { address: source }, data: { state: 'ready' } })
      }
      return isFinished
    }),
})

async function demandOf(db: Database, network: Network, kinds: readonly string[], until: Date): Promise<number> {
  const [counted] = await db.query<{ demand: number }>(DEMAND, [network, kinds, until])
  return counted?.demand ?? 0
}

const planFailedAgain = (db: Database, transferId: string, now: Date): Promise<boolean> =>
  unlessChanged(() =>
    db.prisma.$transaction(async (tx) => {
      await writeStatusOverride(tx, { transferId, status: 'planned', reason: null, fence: null }, now)
      await tx.$executeRaw`SELECT pg_notify(${TRANSFERS_DUE}, '')`
    }),
  )

type Creation = Parameters<NoncePoolStore['plan']>[0]

async function planCreation(db: Database, { index, transfer, at }: Creation): Promise<boolean> {
  const { network, source: address, round } = transfer
  if (transfer.subject.id !== nonceAccountId(network, index)) throw new RangeError('the transfer of another account')
  try {
    await db.prisma.$transaction(async (tx) => {
      if (round === 1) await tx.nonceAccount.create({ data: { network, index, address, createdAt: at, updatedAt: at } })
      await writeTransfers(tx, [{ transfer, at, version: 1, reason: null }])
      await tx.$executeRaw`SELECT pg_notify(${TRANSFERS_DUE}, '')`
    })
    return true
  } catch (error) {
    // The place of the account, or the key of the transfer, is taken.
    if (isUniqueViolation(error)) return false
    throw error
  }
}
