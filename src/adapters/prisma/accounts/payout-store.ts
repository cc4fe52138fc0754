import {
  cancelPayoutChange,
  payoutChangeFromRow,
  stagePayoutEvent,
  updateAccount,
} from '#adapters/prisma/accounts/account-store.ts'
import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { addressOrNull } from '#adapters/prisma/rows.ts'
import { lockAccount } from '#adapters/prisma/transaction.ts'
import { PAYOUT_CHANGE_REQUESTED, payoutRequested } from '#core/accounts/payout-change.ts'
import type { PayoutStore } from '#ports/payouts.ts'

export const createPayoutStore = (prisma: PrismaClient): PayoutStore => ({
  async pending(accountId) {
    const row = await prisma.payoutChange.findUnique({ where: { accountId } })
    return row === null ? null : payoutChangeFromRow(row)
  },

  request: ({ accountId }, change, by) =>
    prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId)
      const { sweepDestination } = await tx.account.findUniqueOrThrow({ where: { id: accountId } })
      const before = addressOrNull(sweepDestination)
      const { destination: after, effectiveAt } = change
      await cancelPayoutChange(tx, accountId, by)
      if (before === after) return
      const requested = { ...change, accountId, requestedBy: { ...by.actor }, requestedAt: by.at }
      await tx.payoutChange.create({ data: requested })
      await writeAudit(tx, accountId, by, [payoutRequested(before, change)])
      await stagePayoutEvent(tx, accountId, PAYOUT_CHANGE_REQUESTED, { before, after, effectiveAt }, by)
    }),

  cancel: (accountId, by) =>
    prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId)
      return await cancelPayoutChange(tx, accountId, by)
    }),

  async applyNext(now) {
    const due = { effectiveAt: { lte: now } }
    const next = await prisma.payoutChange.findFirst({ where: due, orderBy: { effectiveAt: 'asc' } })
    if (next === null) return null
    const { accountId } = next
    return await prisma.$transaction(async (tx) => {
      await lockAccount(tx, accountId)
      // It may have been canceled or replaced until here.
      const row = await tx.payoutChange.findFirst({ where: { accountId, ...due } })
      if (row === null) return null
      const { destination, requestedBy } = payoutChangeFromRow(row)
      await tx.payoutChange.delete({ where: { accountId } })
      return await updateAccount(tx, accountId, { sweepDestination: destination }, { actor: requestedBy, at: now })
    })
  },
})
