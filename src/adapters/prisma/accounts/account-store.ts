import { isDatabaseUnavailable } from '#adapters/prisma/engine/unavailable.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, keyFromRow, MARKETPLACES } from '#adapters/prisma/rows.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import { createBatcher } from '#lib/batcher.ts'
import type { AccountStore, EndpointPatch, KeyStore } from '#ports/accounts.ts'

/** The reason of a disabled endpoint that needs no attention. */
export const REMOVED_BY_OPERATOR = 'removed by the operator'

export function createAccountStore(prisma: PrismaClient): AccountStore {
  const endpointOf = (accountId: string) =>
    prisma.webhookEndpoint.findFirst({ where: { accountId, disabledAt: null }, orderBy: NEWEST_FIRST })
  return {
    async open(account, { hash, scopes, ...key }, endpoint) {
      const row = await prisma.account.create({
        data: {
          ...account,
          keys: { create: { ...key, hash: Uint8Array.from(hash), scopes: [...scopes] } },
          ...(endpoint !== null && { webhookEndpoints: { create: endpoint } }),
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

    async setWebhookSecret(id, from, { version, rotations }) {
      const { count } = await prisma.account.updateMany({
        where: { id, webhookSecretVersion: from.version },
        data: { webhookSecretVersion: version, webhookSecretRotations: [...rotations] },
      })
      return count === 1
    },
  }
}

const NEWEST_FIRST: Prisma.WebhookEndpointOrderByWithRelationInput[] = [{ createdAt: 'desc' }, { id: 'desc' }]

async function changeEndpoint(tx: Tx, accountId: string, { newId, url, eventTypes, at }: EndpointPatch): Promise<void> {
  if (url !== undefined) await replaceEndpoint(tx, accountId, { newId, url, at })
  if (eventTypes === undefined) return
  const data = { eventTypes: [...eventTypes] }
  await tx.webhookEndpoint.updateMany({ where: { accountId, disabledAt: null }, data })
}

// The endpoint keeps its id under a new URL, so that waiting and repeated deliveries go there.
async function replaceEndpoint(
  tx: Tx,
  accountId: string,
  { newId, url, at }: { newId: string; url: string | null; at: Date },
): Promise<void> {
  const endpoint =
    url === null ? null : await tx.webhookEndpoint.findFirst({ where: { accountId }, orderBy: NEWEST_FIRST })
  await tx.webhookEndpoint.updateMany({
    where: { accountId, disabledAt: null, ...(endpoint !== null && { id: { not: endpoint.id } }) },
    data: { disabledAt: at, disabledReason: REMOVED_BY_OPERATOR },
  })
  if (url === null) return
  if (endpoint === null) await tx.webhookEndpoint.create({ data: { id: newId, accountId, url } })
  else {
    const data = { url, disabledAt: null, disabledReason: null }
    await tx.webhookEndpoint.update({ where: { id: endpoint.id }, data })
  }
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
