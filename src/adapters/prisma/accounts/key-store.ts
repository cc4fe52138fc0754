import { isDatabaseUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, keyFromRow } from '#adapters/prisma/rows.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { KeyStore } from '#ports/accounts.ts'

const MAX_BATCH = 200
const CONCURRENT_BATCHES = 2

export function createKeyStore(prisma: PrismaClient): KeyStore {
  const findByHash = createBatcher((hashes: readonly Uint8Array[]) => findByHashes(prisma, hashes), {
    maxSize: MAX_BATCH,
    concurrency: CONCURRENT_BATCHES,
    isSharedFailure: isDatabaseUnavailable,
  })
  return {
    findByHash,

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
      // Keeps the time of the first revocation.
      await prisma.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: at } })
      const row = await prisma.apiKey.findUnique({ where: { id } })
      return row === null ? null : keyFromRow(row)
    },
  }
}

/** Answers in the order of `hashes`; null for an unknown or revoked key. */
async function findByHashes(prisma: PrismaClient, hashes: readonly Uint8Array[]) {
  const rows = await prisma.apiKey.findMany({
    where: { hash: { in: hashes.map((hash) => Uint8Array.from(hash)) }, revokedAt: null },
    include: { account: { include: { marketplace: { select: { status: true } } } } },
  })
  const found = new Map(rows.map((row) => [nameOf(row.hash), row]))
  return hashes.map((hash) => {
    const row = found.get(nameOf(hash))
    if (row === undefined) return null
    const { account } = row
    const marketplace = account.marketplace?.status ?? null
    return { key: keyFromRow(row), account: accountFromRow(account), marketplace, hash: row.hash }
  })
}

const nameOf = (hash: Uint8Array): string => Buffer.from(hash).toString('base64')
