// Stored approves. The order of these writes is part of the money protocol: docs/billing.md, "Sponsored transactions".
import type { Database } from '#adapters/prisma/engine/database.ts'
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { type Tx, VersionConflict, writeLedger } from '#adapters/prisma/transfers/records.ts'
import type { NewApproval } from '#core/billing/approval.ts'
import { DAY_MS } from '#core/billing/calendar.ts'
import type { Network } from '#core/chain/types.ts'
import type { ApprovalStore } from '#ports/approvals.ts'
import { APPROVAL_INCLUDE, approvalFromRow, delegatedFromRow, LIVE_STATES, purposeColumns } from './approval-row.ts'
import { DELEGATIONS } from './tables.ts'
import { writeApprovalEnd } from './write-approval-end.ts'
import { writeDecided } from './write-decided.ts'

/** Rolls the transaction back: the sponsor has spent as much as it may. */
class OverBudget extends Error {}

export function createApprovalStore({ prisma }: Pick<Database, 'prisma'>): ApprovalStore {
  return {
    async find(id) {
      const row = await prisma.approval.findUnique({ where: { id }, include: APPROVAL_INCLUDE })
      return row === null ? null : delegatedFromRow(row)
    },

    async live(delegationId) {
      const row = await prisma.approval.findFirst({ where: { delegationId, state: LIVE_STATES } })
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

    async watched(network, limit) {
      const rows = await prisma.approval.findMany({
        where: { network, state: LIVE_STATES },
        orderBy: { createdAt: 'asc' },
        take: limit,
        include: APPROVAL_INCLUDE,
      })
      return rows.map(delegatedFromRow)
    },

    async prepare(approval, { perDay, ...decided }) {
      try {
        await prisma.$transaction(async (tx) => {
          await writeDecided(tx, decided)
          await requireBudget(tx, approval, perDay)
          await tx.approval.create({ data: columnsOf(approval) })
        })
        return 'stored'
      } catch (error) {
        if (error instanceof OverBudget) return 'over_budget'
        if (error instanceof VersionConflict || isDuplicate(error)) return 'moved_on'
        throw error
      }
    },

    async recordSigned(id, wire, now) {
      const bytes = Uint8Array.from(wire)
      const { count } = await prisma.approval.updateMany({
        where: { id, state: LIVE_STATES },
        data: { state: 'sent', wire: bytes, sentAt: now },
      })
      return count === 1
    },

    async end(end, { ledger, delegation }) {
      try {
        await prisma.$transaction(async (tx) => {
          if (delegation !== null) {
            const { before, after } = delegation
            await DELEGATIONS.update(tx, { ...after, version: before.version + 1 }, before.version)
          }
          await writeApprovalEnd(tx, end)
          await writeLedger(tx, ledger, end.at)
        })
        return true
      } catch (error) {
        if (error instanceof VersionConflict) return false
        throw error
      }
    },
  }
}

/** The unique index on live approves of a delegation. */
const isDuplicate = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'

const columnsOf = ({ lifetime, signature, total, message, purpose, ...approval }: NewApproval) => ({
  ...approval,
  ...purposeColumns(purpose),
  total: total.toString(),
  message: Uint8Array.from(message),
  feePayerSignature: signature,
  blockhash: lifetime.blockhash,
  lastValidBlockHeight: lifetime.lastValidBlockHeight,
})

/** Locks the budget until the transaction ends, so that each approve counts every earlier one. */
async function requireBudget(tx: Tx, { network, spendCost, createdAt }: NewApproval, perDay: bigint): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`budget of approvals on ${network}`}, 0))`
  if ((await spentSince(tx, network, new Date(createdAt.getTime() - DAY_MS))) + spendCost > perDay)
    throw new OverBudget()
}

/** Returns the most that approves have cost, or may still cost, in lamports. One that never landed cost nothing. */
async function spentSince(tx: Pick<Tx, 'approval'>, network: Network, since: Date): Promise<bigint> {
  const { _sum } = await tx.approval.aggregate({
    where: { network, createdAt: { gt: since }, state: { not: 'dead' } },
    _sum: { spendCost: true },
  })
  return _sum.spendCost ?? 0n
}
