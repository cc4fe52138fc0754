import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, marketplaceFromRow } from '#adapters/prisma/rows.ts'
import type { AccountStore } from '#ports/stores.ts'

export function createAccountStore(prisma: PrismaClient): AccountStore {
  return {
    create: async (account) => accountFromRow(await prisma.account.create({ data: account })),

    async update(id, patch) {
      const [row] = await prisma.account.updateManyAndReturn({ where: { id }, data: patch })
      return row === undefined ? null : accountFromRow(row)
    },

    async find(id) {
      const row = await prisma.account.findUnique({ where: { id } })
      return row === null ? null : accountFromRow(row)
    },

    async list() {
      const rows = await prisma.account.findMany({ orderBy: { derivationIndex: 'asc' } })
      return rows.map(accountFromRow)
    },

    async findMarketplace(accountId) {
      const row = await prisma.marketplace.findUnique({ where: { accountId } })
      return row === null ? null : marketplaceFromRow(row)
    },

    async findSeller(tenant, sellerId) {
      const row = await prisma.account.findFirst({
        where: { id: sellerId, marketplaceAccountId: tenant.accountId, network: tenant.network },
      })
      return row === null ? null : accountFromRow(row)
    },

    async rotateWebhookSecret(id, at) {
      const [row] = await prisma.account.updateManyAndReturn({
        where: { id },
        data: { webhookSecretVersion: { increment: 1 }, webhookSecretRotatedAt: at },
      })
      return row === undefined ? null : accountFromRow(row)
    },
  }
}
