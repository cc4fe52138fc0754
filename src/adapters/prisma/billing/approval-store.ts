// Stored approves. The order of these writes is part of the money protocol: docs/billing.md, "Sponsored transactions".
import type { Database } from '#adapters/prisma/engine/database.ts'
import { isUniqueViolation } from '#adapters/prisma/engine/unavailable.ts'
import { type Tx, unlessChanged, VersionConflict } from '#adapters/prisma/transaction.ts'
import { writeLedger } from '#adapters/prisma/transfers/records.ts'
import type { ApprovalEnds, NewApproval } from '#core/billing/approval.ts'
import { type SponsoringLimit, type SponsorUse, sponsoringLimit, sponsoringSince } from '#core/billing/sponsoring.ts'
import type { Network } from '#core/chain/types.ts'
import type { Lamports } from '#core/money/amounts.ts'
import type { ApprovalStore, DecidedCheckout } from '#ports/checkouts.ts'
import {
  APPROVAL_INCLUDE,
  approvalFromRow,
  delegatedFromRow,
  IS_LIVE,
  purposeColumns,
  writeApprovalEnd,
} from './approval-row.ts'
import { type NewUse, requireUnused } from './coupon-store.ts'
import { DELEGATIONS } from './tables.ts'
import { writeDecided } from './writes.ts'

/** Rolls the transaction back: the fee payer prepares no other approve. */
class Limited extends Error {
  readonly limit: SponsoringLimit

  constructor(limit: SponsoringLimit) {
    super('a limit of sponsoring is reached')
    this.limit = limit
  }
}

export function createApprovalStore({ prisma, query }: Pick<Database, 'prisma' | 'query'>): ApprovalStore {
  return {
    async find(id) {
      const row = await prisma.approval.findUnique({ where: { id }, include: APPROVAL_INCLUDE })
      return row === null ? null : delegatedFromRow(row)
    },

    async live(delegationId) {
      const row = await prisma.approval.findFirst({ where: { delegationId, state: IS_LIVE } })
      return row === null ? null : approvalFromRow(row)
    },

    async findByMessage(intentId, message) {
      const row = await prisma.approval.findFirst({
        where: { intentId, message: Uint8Array.from(message) },
        include: APPROVAL_INCLUDE,
      })
      return row === null ? null : delegatedFromRow(row)
    },

    spentSince: (network, since) => spentSince(prisma, network, since),

    async countEnds(network, since) {
      const [ends] = await query<ApprovalEnds>(COUNT_ENDS, [network, since])
      if (ends === undefined) throw new Error('counts are always one row')
      return ends
    },

    async watched(network, limit) {
      const rows = await prisma.approval.findMany({
        where: { network, state: IS_LIVE },
        orderBy: { createdAt: 'asc' },
        take: limit,
      })
      return rows.map(approvalFromRow)
    },

    async prepare(approval, { perDay, provenAt, ...decided }) {
      try {
        await prisma.$transaction(async (tx) => {
          await writeDecided(tx, decided)
          // All approves of the network wait for its budget, so that it is locked last.
          await requireUnused(tx, useOf(decided))
          await requireWithinLimits(tx, approval, { perDay, provenAt })
          await tx.approval.create({ data: columnsOf(approval) })
        })
        return 'stored'
      } catch (error) {
        if (error instanceof Limited) return error.limit
        // The unique index on live approves of a delegation.
        if (error instanceof VersionConflict || isUniqueViolation(error)) return 'moved_on'
        throw error
      }
    },

    async recordSponsored(id, signature) {
      try {
        const where = { id, state: IS_LIVE }
        const { count } = await prisma.approval.updateMany({ where, data: { feePayerSignature: signature } })
        return count === 1 ? 'recorded' : 'ended'
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken'
        throw error
      }
    },

    async endUnsponsored(id, at) {
      const { count } = await prisma.approval.updateMany({
        where: { id, state: IS_LIVE, feePayerSignature: null },
        data: { state: 'dead', resolvedAt: at },
      })
      return count === 1
    },

    async recordSigned(id, wire) {
      return (await prisma.$executeRawUnsafe(RECORD_SIGNED, id, Uint8Array.from(wire))) === 1
    },

    end: (end, { ledger, delegation }) =>
      unlessChanged(() =>
        prisma.$transaction(async (tx) => {
          if (delegation !== null) {
            const { before, after } = delegation
            const value = { ...after, version: before.version + 1 }
            await DELEGATIONS.update(tx, [{ value, version: before.version }])
          }
          await writeApprovalEnd(tx, end)
          await writeLedger(tx, [{ entries: ledger, at: end.at }])
        }),
      ),

    async removeUnused(before, limit) {
      const approvals = await query(REMOVE_DEAD, [before, limit])
      const delegations = await query(REMOVE_NEVER_USED, [before, limit])
      return Math.max(approvals.length, delegations.length)
    },
  }
}

/** The place of a checkout among the uses of its coupon is taken by the approve, as long as it may land. */
const useOf = ({ checkout, delegation: { wallet } }: DecidedCheckout): readonly NewUse[] =>
  checkout?.after.couponId == null ? [] : [{ couponId: checkout.after.couponId, wallet, intentId: checkout.after.id }]

/** Each ends within minutes, so those that landed are found by the index of what was spent. */
const COUNT_ENDS = `
SELECT count(*) FILTER (WHERE state = 'final_ok')::int AS landed,
  count(*) FILTER (WHERE state = 'final_err')::int AS failed,
  count(*) FILTER (WHERE state = 'dead' AND wire IS NOT NULL)::int AS expired,
  count(*) FILTER (WHERE state = 'dead' AND wire IS NULL)::int AS unsigned
FROM approvals
WHERE network = $1::network_name
  AND ((state = 'dead' AND resolved_at > $2::timestamptz) OR (state <> 'dead' AND created_at > $2::timestamptz))`

const REMOVE_DEAD = `
DELETE FROM approvals WHERE id = ANY (ARRAY(
  SELECT id FROM approvals WHERE state = 'dead' AND resolved_at < $1 ORDER BY resolved_at LIMIT $2::int))
RETURNING 1 AS one`

/** A request that uses the delegation now has locked its row, or finds that it has changed, and stores another one. */
const REMOVE_NEVER_USED = `
DELETE FROM delegations WHERE id = ANY (ARRAY(
  SELECT id FROM delegations delegation WHERE epoch = 0 AND updated_at < $1
    AND NOT EXISTS (SELECT FROM approvals WHERE delegation_id = delegation.id)
    AND NOT EXISTS (SELECT FROM billing_subscriptions WHERE delegation_id = delegation.id)
  ORDER BY updated_at LIMIT $2::int FOR UPDATE SKIP LOCKED))
RETURNING 1 AS one`

/** The approve of a checkout has no subscription yet, and a revocation is for one that does not change any more. */
const RECORD_SIGNED = `
UPDATE approvals SET state = CASE state WHEN 'prepared' THEN 'sent' ELSE state END, wire = $2::bytea
WHERE id = $1::uuid AND state IN ('prepared', 'dead') AND wire IS NULL AND (subscription_version IS NULL OR subscription_version = (
  SELECT version FROM billing_subscriptions WHERE id = subscription_id))`

const columnsOf = ({ lifetime, total, message, purpose, ...approval }: NewApproval) => ({
  ...approval,
  ...purposeColumns(purpose),
  total: total.toString(),
  message: Uint8Array.from(message),
  blockhash: lifetime.blockhash,
  lastValidBlockHeight: lifetime.lastValidBlockHeight,
})

/** Locks the budget until the transaction ends, so that each approve counts every earlier one. */
async function requireWithinLimits(
  tx: Tx,
  approval: NewApproval,
  { perDay, provenAt }: { readonly perDay: Lamports; readonly provenAt: Date | null },
): Promise<void> {
  const { network, spendCost: cost, createdAt: now } = approval
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`budget of approvals on ${network}`}, 0))`
  const { isPinned, ...use } = await sponsorUse(tx, approval, provenAt)
  const isForCheckout = approval.purpose.kind === 'checkout'
  const limit = sponsoringLimit(use, { cost, perDay, isForCheckout, isPinned, isProven: provenAt !== null, now })
  if (limit !== null) throw new Limited(limit)
}

/** Returns the most that approves have cost, or may still cost, in lamports. One that never landed cost nothing. */
async function spentSince(tx: Pick<Tx, 'approval'>, network: Network, since: Date): Promise<bigint> {
  const { _sum } = await tx.approval.aggregate({
    where: { network, createdAt: { gt: since }, state: { not: 'dead' } },
    _sum: { spendCost: true },
  })
  return _sum.spendCost ?? 0n
}

type UseRow = {
  readonly spent: string
  readonly isPinned: boolean
  readonly unsignedOfPage: readonly Date[]
  readonly unsignedWithBusiness: readonly Date[]
  readonly unsignedOfWallet: readonly Date[]
  readonly signedOfWallet: readonly Date[]
  readonly paidOfWallet: number
}

/**
 * Reads what approves have used: of the business that the approve is for, of its page, and of its wallet with the business and
 * with all. A marketplace and its sellers are one business. The wallet of a running subscription is known, as that of a checkout
 * for one wallet.
 */
async function sponsorUse(
  tx: Tx,
  { network, purpose, subscriptionId, businessId, delegationId, createdAt }: NewApproval,
  provenAt: Date | null,
): Promise<SponsorUse & { readonly isPinned: boolean }> {
  const since = sponsoringSince(createdAt, provenAt)
  const intentId = purpose.kind === 'checkout' ? purpose.intentId : null
  const [use] = await tx.$queryRaw<UseRow[]>`
    SELECT coalesce((SELECT wallet_pinned FROM subscription_intents WHERE id = ${intentId}::uuid), true) AS "isPinned",
      (SELECT coalesce(sum(spend_cost), 0)::text FROM approvals
        WHERE network = ${network}::network_name AND created_at > ${since.spent} AND state <> 'dead'
          AND business_id = ${businessId}::uuid) AS spent,
      ARRAY(SELECT created_at FROM approvals
        WHERE subscription_id = ${subscriptionId}::uuid AND created_at > ${since.unsignedOfPage}
          AND wire IS NULL AND state IN ('prepared', 'dead') ORDER BY created_at DESC) AS "unsignedOfPage",
      ARRAY(SELECT approval.created_at FROM approvals approval
        JOIN subscription_intents intent ON intent.id = approval.intent_id
        WHERE approval.delegation_id = ${delegationId}::uuid AND approval.created_at > ${since.unsigned}
          AND approval.business_id = ${businessId}::uuid AND NOT intent.wallet_pinned
          AND approval.wire IS NULL AND approval.state IN ('prepared', 'dead')
        ORDER BY approval.created_at DESC) AS "unsignedWithBusiness",
      ARRAY(SELECT created_at FROM approvals
        WHERE delegation_id = ${delegationId}::uuid AND created_at > ${since.unsigned} AND subscription_version IS NULL
          AND wire IS NULL AND state IN ('prepared', 'dead') ORDER BY created_at DESC) AS "unsignedOfWallet",
      ARRAY(SELECT created_at FROM approvals
        WHERE delegation_id = ${delegationId}::uuid AND created_at > ${since.spent}
          AND state IN ('sent', 'final_ok', 'final_err') ORDER BY created_at DESC) AS "signedOfWallet",
      (SELECT count(*)::int FROM billing_subscriptions
        WHERE delegation_id = ${delegationId}::uuid AND activated_at IS NOT NULL
          AND (ended_at IS NULL OR ended_at > ${since.spent})) AS "paidOfWallet"`
  if (use === undefined) throw new Error('sums are always one row')
  const { spent: spentOfBusiness, ...ofWallet } = use
  return { ...ofWallet, spent: await spentSince(tx, network, since.spent), spentOfBusiness: BigInt(spentOfBusiness) }
}
