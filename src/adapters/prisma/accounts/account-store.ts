import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import { insertKey } from '#adapters/prisma/accounts/key-store.ts'
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, MARKETPLACES } from '#adapters/prisma/rows.ts'
import { lockAccount, type Tx } from '#adapters/prisma/transaction.ts'
import { businessEntries } from '#core/accounts/business-audit.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { AccountStore, EndpointPatch } from '#ports/accounts.ts'

export function createAccountStore(prisma: PrismaClient): AccountStore {
  const endpointOf = (id: string) => prisma.webhookEndpoint.findUnique({ where: { id, disabledAt: null } })
  return {
    open: (account, key, url, by) =>
      prisma.$transaction(async (tx) => {
        const row = await tx.account.create({
          data: {
            ...account,
            ...(url !== null && { webhookEndpoints: { create: { id: account.id, url, apiVersion: API_VERSION } } }),
          },
        })
        await insertKey(tx, { ...key, accountId: account.id }, by)
        return accountFromRow(row)
      }),

    update: (id, patch, by, endpoint) =>
      prisma.$transaction(async (tx) => {
        // Locked, so that each entry of the audit log says what the change before it left.
        await lockAccount(tx, id)
        const row = await tx.account.findUnique({ where: { id } })
        if (row === null) return null
        const before = accountFromRow(row)
        const { acceptedAssets, ...columns } = patch
        const data = { ...columns, ...(acceptedAssets !== undefined && { acceptedAssets: [...acceptedAssets] }) }
        const after = accountFromRow(await tx.account.update({ where: { id }, data }))
        await writeAudit(tx, id, by, businessEntries(before, after))
        if (endpoint !== undefined) await changeEndpoint(tx, id, endpoint)
        return after
      }),

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
