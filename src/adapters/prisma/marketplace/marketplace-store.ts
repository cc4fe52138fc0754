import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { MARKETPLACES } from '#adapters/prisma/rows.ts'
import { lockAccount } from '#adapters/prisma/transaction.ts'
import type { ApplicationStore, MarketplaceStore, SellerCounts } from '#ports/marketplaces.ts'

/** The counts of a marketplace that never had a seller. */
const NONE: SellerCounts = { sellersTotal: 0, sellersCount: 0 }

export function createMarketplaceStore({ prisma }: Pick<Database, 'prisma'>): MarketplaceStore {
  return {
    async find(accountId) {
      const row = await prisma.marketplace.findUnique({ where: { accountId } })
      return row === null ? null : MARKETPLACES.fromRow(row)
    },

    async counts(accountId) {
      const row = await prisma.sellerCount.findUnique({ where: { marketplaceAccountId: accountId } })
      return row === null ? NONE : { sellersTotal: row.total, sellersCount: row.total - row.archived }
    },

    change: (accountId, by, decide) =>
      prisma.$transaction(async (tx) => {
        // The account's row, because a first approval has no other row to lock.
        await lockAccount(tx, accountId)
        await tx.$queryRaw`SELECT account_id FROM marketplaces WHERE account_id = ${accountId}::uuid FOR NO KEY UPDATE`
        const row = await tx.marketplace.findUnique({ where: { accountId } })
        const { next, entries } = decide(row && MARKETPLACES.fromRow(row))
        if (row !== null && entries.length === 0) return MARKETPLACES.fromRow(row)
        const { accountId: _id, ...columns } = next
        const data = { ...columns, updatedAt: by.at }
        const stored = await tx.marketplace.upsert({
          where: { accountId },
          create: { accountId, ...data, createdAt: by.at },
          update: data,
        })
        // An approval is the answer to an application that waits.
        if (next.status === 'active')
          await tx.marketplaceApplication.updateMany({
            where: { accountId, decidedAt: null },
            data: { decidedAt: by.at },
          })
        await writeAudit(tx, accountId, by, entries)
        return MARKETPLACES.fromRow(stored)
      }),
  }
}

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
