import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { lockAccount } from '#adapters/prisma/transaction.ts'
import type { ApplicationStore } from '#ports/marketplaces.ts'

export const createApplicationStore = ({ prisma }: Pick<Database, 'prisma'>): ApplicationStore => ({
  find: (accountId) => prisma.marketplaceApplication.findUnique({ where: { accountId } }),

  list: ({ isPending, limit }) =>
    prisma.marketplaceApplication.findMany({
      where: isPending ? { decidedAt: null } : {},
      orderBy: [{ appliedAt: 'asc' }, { accountId: 'asc' }],
      take: limit,
    }),

  apply: ({ accountId, ...application }, by, entry) =>
    prisma.$transaction(async (tx) => {
      // An approval locks the account, too.
      await lockAccount(tx, accountId)
      if ((await tx.marketplace.findUnique({ where: { accountId } })) !== null) return null
      const data = { ...application, appliedAt: by.at, decidedAt: null, reason: null }
      const stored = await tx.marketplaceApplication.upsert({
        where: { accountId },
        create: { accountId, ...data },
        update: data,
      })
      await writeAudit(tx, accountId, by, [entry])
      return stored
    }),

  refuse: (accountId, reason, by, entry) =>
    prisma.$transaction(async (tx) => {
      const [refused] = await tx.marketplaceApplication.updateManyAndReturn({
        where: { accountId, decidedAt: null },
        data: { decidedAt: by.at, reason },
      })
      if (refused === undefined) return null
      await writeAudit(tx, accountId, by, [entry])
      return refused
    }),
})
