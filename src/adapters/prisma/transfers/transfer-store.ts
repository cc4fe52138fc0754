// Obligations under lease and fence, and their attempts: the order of these writes is the money protocol's.

import type { Database } from '#adapters/prisma/engine/database.ts'
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { type AttemptRow, transferFromRow } from '#adapters/prisma/rows.ts'
import { writeLedger } from '#adapters/prisma/transfers/records.ts'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import { keyPathFromText, keyPathToText } from '#core/chain/keys.ts'
import type { Lifetime, Network } from '#core/chain/types.ts'
import { limitReached, type Spend, type Spender, type Spending } from '#core/transfers/budget.ts'
import { type Attempt, type Lease, LIVE_ATTEMPT_STATES } from '#core/transfers/transfer.ts'
import type { TransferStore } from '#ports/transfers.ts'

const LIVE = [...LIVE_ATTEMPT_STATES]

const attemptFromRow = (row: AttemptRow & { readonly transfer: { readonly network: Network } }): Attempt => ({
  id: row.id,
  transferId: row.transferId,
  number: row.number,
  state: row.state,
  source: makeAddress(row.source),
  message: row.message,
  harvestWithheld: row.harvestWithheld,
  wire: row.wire,
  signature: row.signature === null ? null : makeSignature(row.signature),
  lifetime: lifetimeFromRow(row),
  knownSignature: makeSignature(row.knownSignature),
  createdAt: row.createdAt,
  sentAt: row.sentAt,
})

function lifetimeFromRow(row: AttemptRow & { readonly transfer: { readonly network: Network } }): Lifetime {
  const { lastValidBlockHeight, nonceAccount, nonceSlot, nonceAuthority, nonceAuthorityKey } = row
  const value = makeBlockhash(row.blockhash)
  if (lastValidBlockHeight !== null) return { kind: 'blockhash', blockhash: value, lastValidBlockHeight }
  if (nonceAccount === null || nonceSlot === null || nonceAuthority === null || nonceAuthorityKey === null)
    throw new Error(`attempt ${row.id} has no lifetime`)
  const key = keyPathFromText(row.transfer.network, nonceAuthorityKey)
  const authority = { address: makeAddress(nonceAuthority), key }
  return { kind: 'nonce', nonce: value, account: makeAddress(nonceAccount), slot: nonceSlot, authority }
}

const lifetimeColumns = (lifetime: Lifetime) =>
  lifetime.kind === 'blockhash'
    ? { blockhash: lifetime.blockhash, lastValidBlockHeight: lifetime.lastValidBlockHeight }
    : {
        blockhash: lifetime.nonce,
        nonceAccount: lifetime.account,
        nonceSlot: lifetime.slot,
        nonceAuthority: lifetime.authority.address,
        nonceAuthorityKey: keyPathToText(lifetime.authority.key),
      }

/** Rolls an attempt back: nothing leaves its source for now. */
class Halted extends Error {}

/** Rolls an attempt back: transfers of its kind have cost the fee payer as much as they may. */
class OverBudget extends Error {}

/** Whoever holds the lease, as long as nobody has taken over since. */
const leasedBy = ({ transferId, fence }: Lease) => ({ id: transferId, fence })

export function createTransferStore(db: Database): TransferStore {
  return {
    // An array, because a plan that joins the subquery may run it more than once and claim past the limit.
    async claim(network, { now, leaseMs, queues }) {
      const leased = await db.query<{ id: string; fence: bigint }>(
        `UPDATE transfers SET fence = fence + 1, lease_until = $2, status = 'in_progress'
         WHERE id = ANY (ARRAY(
           SELECT due.id FROM unnest($4::text[], $5::int[]) AS queue(kind, most)
           CROSS JOIN LATERAL (
             SELECT id FROM transfers transfer
             WHERE network = $1::network_name AND transfer.kind = queue.kind AND status IN ('planned', 'in_progress')
               AND next_attempt_at <= $3 AND (lease_until IS NULL OR lease_until < $3)
             ORDER BY next_attempt_at LIMIT queue.most FOR UPDATE SKIP LOCKED) due))
         RETURNING id, fence`,
        [
          network,
          new Date(now.getTime() + leaseMs),
          now,
          queues.map(({ kind }) => kind),
          queues.map(({ most }) => most),
        ],
      )
      if (leased.length === 0) return []
      const rows = await db.prisma.transfer.findMany({
        where: { id: { in: leased.map(({ id }) => id) } },
        include: { legs: true, attempts: { where: { state: { in: LIVE } } } },
        orderBy: { createdAt: 'asc' },
      })
      const fences = new Map(leased.map(({ id, fence }) => [id, fence]))
      return rows.map(({ attempts: [live], ...row }) => ({
        transfer: transferFromRow(row),
        live: live === undefined ? null : attemptFromRow({ ...live, transfer: row }),
        lease: { transferId: row.id, fence: fences.get(row.id) ?? row.fence },
      }))
    },

    async prepareAttempt(lease, { lifetime, spending, ...attempt }) {
      try {
        return await db.prisma.$transaction(async (tx) => {
          const { count } = await tx.transfer.updateMany({
            where: {
              ...leasedBy(lease),
              status: 'in_progress',
              attempts: { none: { state: { in: [...LIVE, 'final_ok'] } } },
            },
            data: { attemptCount: { increment: 1 } },
          })
          if (count !== 1) return null
          // A statement of its own, after the row's lock: who halts takes that first, and so is seen here.
          const halt = await tx.halt.findFirst({
            where: { address: attempt.source, clearedAt: null },
            select: { id: true },
          })
          if (halt !== null) throw new Halted()
          if (spending !== undefined && (await isOverBudget(tx, spending))) throw new OverBudget()
          const row = await tx.transferAttempt.create({
            data: {
              ...attempt,
              ...lifetimeColumns(lifetime),
              message: Uint8Array.from(attempt.message),
              fence: lease.fence,
              state: 'prepared',
              spendCost: spending?.cost ?? null,
            },
            include: { transfer: { select: { network: true } } },
          })
          return attemptFromRow(row)
        })
      } catch (error) {
        if (error instanceof Halted || error instanceof OverBudget) return null
        // The unique index on live attempts: another one of this obligation, or of its source, may still land.
        if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null
        throw error
      }
    },

    spendOf: (spender) => readSpend(db.prisma, spender),

    async haltsOn(sources) {
      const halts = await db.prisma.halt.findMany({
        where: { address: { in: [...sources] }, clearedAt: null },
        select: { address: true, reason: true },
      })
      return new Map(halts.map(({ address, reason }) => [makeAddress(address), reason]))
    },

    async recordSigned(lease, attemptId, wire, signature) {
      const { count } = await db.prisma.transferAttempt.updateMany({
        where: { id: attemptId, state: 'prepared', transfer: leasedBy(lease) },
        data: { state: 'signed', wire: Uint8Array.from(wire), signature },
      })
      return count === 1
    },

    async recordAttempt(lease, attemptId, state, { now, error }) {
      const { count } = await db.prisma.transferAttempt.updateMany({
        where: { id: attemptId, state: { in: LIVE }, transfer: leasedBy(lease) },
        data: {
          state,
          ...(state === 'sent' && { sentAt: now }),
          ...(state === 'dead' && { resolvedAt: now }),
          ...(error !== undefined && { error }),
        },
      })
      return count === 1
    },

    async release(leases, nextAttemptAt) {
      if (leases.length === 0) return
      await db.query(
        `UPDATE transfers SET lease_until = NULL, next_attempt_at = $3
         FROM unnest($1::uuid[], $2::bigint[]) AS held(id, fence)
         WHERE transfers.id = held.id AND transfers.fence = held.fence`,
        [leases.map(({ transferId }) => transferId), leases.map(({ fence }) => fence.toString()), nextAttemptAt],
      )
    },

    async postpone(lease, reason, nextAttemptAt) {
      await db.prisma.transfer.updateMany({ where: leasedBy(lease), data: { leaseUntil: null, nextAttemptAt, reason } })
    },

    async hold(lease, reason) {
      await db.prisma.transfer.updateMany({
        where: leasedBy(lease),
        data: { status: 'held', reason, leaseUntil: null },
      })
    },

    async knownSignatures(transferIds) {
      const rows = await db.query<{ id: string; signature: string }>(
        `SELECT transfer.id, known.signature
         FROM transfers transfer CROSS JOIN LATERAL (
           SELECT signature FROM ledger_entries WHERE network = transfer.network ORDER BY slot DESC LIMIT 1
         ) known
         WHERE transfer.id = ANY ($1::uuid[])`,
        [transferIds],
      )
      return new Map(rows.map(({ id, signature }) => [id, makeSignature(signature)]))
    },

    async finish(lease, { attemptId, attemptState, status, reason, signature, slot, at, ledger }) {
      return await db.prisma.$transaction(async (tx) => {
        const { count } = await tx.transfer.updateMany({
          where: { ...leasedBy(lease), status: 'in_progress' },
          data: {
            status,
            reason,
            signature: attemptState === 'final_ok' ? signature : null,
            doneAt: status === 'planned' ? null : at,
            leaseUntil: null,
          },
        })
        if (count !== 1) return false
        if (attemptId !== null && attemptState !== null) {
          await tx.transferAttempt.update({
            where: { id: attemptId, state: { in: LIVE } },
            data: { state: attemptState, slot, resolvedAt: at, error: reason },
          })
        }
        await writeLedger(tx, ledger, at)
        return true
      })
    },
  }
}

/** Attempts of a kind are stored one after the other, so that each counts those before it. */
async function isOverBudget(tx: Prisma.TransactionClient, { cost, budget, ...spender }: Spending): Promise<boolean> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`budget of ${spender.kind} on ${spender.network}`}, 0))`
  return limitReached(budget, await readSpend(tx, spender), cost) !== null
}

const HOUR_MS = 3_600_000

/**
 * One statement, and so one moment: an attempt that is booked meanwhile is counted once, as live or in the ledger. Failed
 * transactions are in the ledger as fees, of whatever transfer they were.
 */
async function readSpend(
  tx: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { network, kind, feePayer, subjectId, now }: Spender,
): Promise<Spend> {
  const [hourAgo, dayAgo] = [HOUR_MS, 24 * HOUR_MS].map((ms) => new Date(now.getTime() - ms))
  const isOfKind = Prisma.sql`entry.address = ${feePayer} AND entry.asset = 'SOL' AND (entry.kind = ${kind} OR (
    entry.kind = 'fee' AND EXISTS (SELECT FROM transfers WHERE id = entry.transfer_id AND kind = ${kind})))`
  const [row] = await tx.$queryRaw<{ subject: string; hour: string; day: string; live: string }[]>`
    WITH spent AS (
      SELECT greatest(-entry.delta, 0) AS cost, entry.created_at AS at FROM ledger_entries entry
      WHERE ${isOfKind} AND entry.kind NOT IN ('deposit', 'sweep') AND entry.created_at > ${dayAgo}
    )
    SELECT coalesce(sum(cost), 0)::text AS day,
      coalesce(sum(cost) FILTER (WHERE at > ${hourAgo}), 0)::text AS hour,
      (SELECT coalesce(sum(greatest(-entry.delta, 0)), 0)::text FROM ledger_entries entry
        WHERE entry.subject_id = ${subjectId}::uuid AND ${isOfKind}) AS subject,
      (SELECT coalesce(sum(attempt.spend_cost), 0)::text
        FROM transfer_attempts attempt JOIN transfers transfer ON transfer.id = attempt.transfer_id
        WHERE attempt.state IN ('prepared', 'signed', 'sent', 'seen', 'unknown')
          AND attempt.spend_cost IS NOT NULL AND transfer.network = ${network}::network_name
          AND transfer.kind = ${kind}) AS live
    FROM spent`
  if (row === undefined) throw new Error('sums are always one row')
  const live = BigInt(row.live)
  return { ofSubject: BigInt(row.subject), lastHour: BigInt(row.hour) + live, lastDay: BigInt(row.day) + live }
}
