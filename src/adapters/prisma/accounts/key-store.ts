import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import { isDatabaseUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, keyFromRow } from '#adapters/prisma/rows.ts'
import { lockAccount, type Tx } from '#adapters/prisma/transaction.ts'
import { keyCreated, keyRevoked, keyRolled, MAX_LIVE_KEYS } from '#core/accounts/api-key.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { KeyStore, NewKey } from '#ports/accounts.ts'

const MAX_BATCH = 200
const CONCURRENT_BATCHES = 2

/** A key that nothing has used for this long is marked at its next use. */
const MARKED_FOR_MS = 60_000

const NEWEST_FIRST = [{ createdAt: 'desc' as const }, { id: 'desc' as const }]

export function createKeyStore(prisma: PrismaClient): KeyStore {
  const findByHash = createBatcher((hashes: readonly Uint8Array[]) => findByHashes(prisma, hashes), {
    maxSize: MAX_BATCH,
    concurrency: CONCURRENT_BATCHES,
    isSharedFailure: isDatabaseUnavailable,
  })
  return {
    findByHash,

    create: (key, by) =>
      prisma.$transaction(async (tx) =>
        (await hasRoom(tx, key.accountId, by.at)) ? await insertKey(tx, key, by) : null,
      ),

    async find({ accountId }, id) {
      const row = await prisma.apiKey.findFirst({ where: { id, accountId } })
      return row === null ? null : keyFromRow(row)
    },

    roll: ({ accountId }, id, { revokeAt, ...issued }, by) =>
      prisma.$transaction(async (tx) => {
        if (!(await hasRoom(tx, accountId, by.at))) return 'full'
        const live = { id, accountId, OR: liveAt(by.at) }
        const known = await tx.apiKey.findFirst({ where: live, select: { revokedAt: true } })
        // A key that was rolled before does not live longer.
        const revokedAt = known?.revokedAt && known.revokedAt < revokeAt ? known.revokedAt : revokeAt
        const [old] = await tx.apiKey.updateManyAndReturn({ where: live, data: { revokedAt } })
        if (old === undefined) return null
        const { name, scopes } = keyFromRow(old)
        const row = await tx.apiKey.create({ data: keyData({ ...issued, accountId, name, scopes }, by) })
        await writeAudit(tx, accountId, by, [keyRolled(old, row, revokedAt)])
        return { key: keyFromRow(row), old: keyFromRow(old) }
      }),

    revoke: ({ accountId }, id, by) =>
      prisma.$transaction(async (tx) => {
        const before = await tx.apiKey.findFirst({ where: { id, accountId } })
        if (before === null) return null
        const [row] = await tx.apiKey.updateManyAndReturn({
          where: { id, OR: liveAt(by.at) },
          data: { revokedAt: by.at },
        })
        // A repeat keeps the time of the first revocation.
        if (row === undefined) return keyFromRow(before)
        await writeAudit(tx, accountId, by, [keyRevoked(before, by.at)])
        return keyFromRow(row)
      }),

    async list(accountId, { live, revoked }, now) {
      const [ones, others] = await Promise.all([
        prisma.apiKey.findMany({ where: { accountId, OR: liveAt(now) }, orderBy: NEWEST_FIRST, take: live }),
        prisma.apiKey.findMany({
          where: { accountId, revokedAt: { lte: now } },
          orderBy: [{ revokedAt: 'desc' }, { id: 'desc' }],
          take: revoked,
        }),
      ])
      return [...ones, ...others].map(keyFromRow)
    },

    async ownerOf(id) {
      const row = await prisma.apiKey.findUnique({ where: { id }, select: { accountId: true } })
      return row?.accountId ?? null
    },

    async markUsed(id, at) {
      const before = new Date(at.getTime() - MARKED_FOR_MS)
      await prisma.apiKey.updateMany({
        where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: before } }] },
        data: { lastUsedAt: at },
      })
    },
  }
}

const liveAt = (at: Date) => [{ revokedAt: null }, { revokedAt: { gt: at } }]

/** Locks the account, so that keys that are created at the same time are counted. */
async function hasRoom(tx: Tx, accountId: string, at: Date): Promise<boolean> {
  await lockAccount(tx, accountId)
  return (await tx.apiKey.count({ where: { accountId, OR: liveAt(at) } })) < MAX_LIVE_KEYS
}

/** Inserts a key with its entry in the audit log. */
export async function insertKey(tx: Tx, key: NewKey, by: Authorship) {
  const row = await tx.apiKey.create({ data: keyData(key, by) })
  await writeAudit(tx, key.accountId, by, [keyCreated(key)])
  return keyFromRow(row)
}

const keyData = ({ hash, scopes, ...key }: NewKey, { actor: { kind, credential }, at }: Authorship) => ({
  ...key,
  hash: Uint8Array.from(hash),
  scopes: [...scopes],
  createdBy: { kind, credential },
  createdAt: at,
})

/** Answers in the order of `hashes`; null for an unknown or revoked key. */
async function findByHashes(prisma: PrismaClient, hashes: readonly Uint8Array[]) {
  const rows = await prisma.apiKey.findMany({
    where: { hash: { in: hashes.map((hash) => Uint8Array.from(hash)) } },
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
