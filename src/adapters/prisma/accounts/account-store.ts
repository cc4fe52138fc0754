import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, MARKETPLACES } from '#adapters/prisma/rows.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import type { AccountStore, EndpointPatch } from '#ports/accounts.ts'

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
