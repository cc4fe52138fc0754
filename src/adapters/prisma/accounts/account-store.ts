import { isDatabaseUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, keyFromRow, MARKETPLACES } from '#adapters/prisma/rows.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { AccountStore, EndpointPatch, KeyStore } from '#ports/accounts.ts'

export function createAccountStore(prisma: PrismaClient): AccountStore {
  const endpointOf = (id: string) => prisma.webhookEndpoint.findUnique({ where: { id, disabledAt: null } })
  return {
    async open(account, { hash, scopes, ...key }, url) {
      const row = await prisma.account.create({
        data: {
          ...account,
          keys: { create: { ...key, hash: Uint8Array.from(hash), scopes: [...scopes] } },
          ...(url !== null && { webhookEndpoints: { create: { id: account.id, url, apiVersion: API_VERSION } } }),
        },
      })
      return accountFromRow(row)
    },

    async update(id, patch, endpoint) {
      return await prisma.$transaction(async (tx) => {
        const [row] = await tx.account.updateManyAndReturn({ where: { id }, data: patch })
        if (row === undefined) return null
        if (endpoint !== undefined) await changeEndpoint(tx, id, endpoint)
        return accountFromRow(row)
      })
    },

    webhookUrl: async (id) => (await endpointOf(id))?.url ?? null,
    webhookEvents: async (id) => (await endpointOf(id))?.eventTypes ?? [],

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
      return row === null ? null : MARKETPLACES.fromRow(row)
    },

    async findSeller(tenant, sellerId) {
      const row = await prisma.account.findFirst({
        where: { id: sellerId, marketplaceAccountId: tenant.accountId, network: tenant.network },
      })
      return row === null ? null : accountFromRow(row)
    },
  }
}

async function changeEndpoint(tx: Tx, id: string, { url, eventTypes, at }: EndpointPatch): Promise<void> {
  const types = eventTypes !== undefined && { eventTypes: [...eventTypes] }
  const set = { ...types, updatedAt: at }
  if (typeof url === 'string') {
    // The endpoint keeps its id under a new URL, so that waiting and repeated deliveries go there.
    const update = { ...set, url, disabledAt: null, disabledReason: null, deletedAt: null }
    const create = { ...set, id, accountId: id, url, apiVersion: API_VERSION, createdAt: at }
    await tx.webhookEndpoint.upsert({ where: { id }, create, update })
    return
  }
  const removed = url === null && { disabledAt: at, deletedAt: at }
  await tx.webhookEndpoint.updateMany({ where: { id, deletedAt: null }, data: { ...set, ...removed } })
}

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
