import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, keyFromRow } from '#adapters/prisma/rows.ts'
import type { KeyStore } from '#ports/stores.ts'

export function createKeyStore(prisma: PrismaClient): KeyStore {
  return {
    async create({ hash, scopes, ...key }) {
      const row = await prisma.apiKey.create({ data: { ...key, hash: Uint8Array.from(hash), scopes: [...scopes] } })
      return keyFromRow(row)
    },

    async list(accountId) {
      const rows = await prisma.apiKey.findMany({
        where: { accountId },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      return rows.map(keyFromRow)
    },

    async revoke(id, at) {
      // The first revocation's time stands.
      await prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } })
      const row = await prisma.apiKey.findUnique({ where: { id } })
      return row === null ? null : keyFromRow(row)
    },

    async findByHash(hash) {
      const row = await prisma.apiKey.findUnique({ where: { hash: Uint8Array.from(hash) }, include: { account: true } })
      if (row === null || row.revokedAt !== null) return null
      return { key: keyFromRow(row), account: accountFromRow(row.account), hash: row.hash }
    },
  }
}
