// The endpoints of webhooks of a business. A deleted one is only a name of its deliveries.
import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { lockAccount } from '#adapters/prisma/transaction.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import { endpointEntries, MAX_ENDPOINTS, type WebhookEndpoint } from '#core/events/endpoint.ts'
import { API_VERSION } from '#core/events/subjects.ts'
import type { WebhookEndpointPatch, WebhookEndpointStore } from '#ports/events.ts'

export const endpointFromRow = ({
  secretVersion: version,
  secretRotations: rotations,
  ...row
}: Prisma.WebhookEndpointGetPayload<object>): WebhookEndpoint => ({ ...row, secretState: { version, rotations } })

const everyOf = ({ accountId, network }: Tenant) => ({ account: { id: accountId, network } })

/** Selects the endpoints of a business that are not deleted. */
export const endpointsOf = (tenant: Tenant) => ({ ...everyOf(tenant), deletedAt: null })

export function createEndpointStore({ prisma }: Pick<Database, 'prisma'>): WebhookEndpointStore {
  /** Changes an endpoint with its entry in the audit log. Returns null when the business has no such endpoint. */
  const change = (
    tenant: Tenant,
    id: string,
    by: Authorship,
    data: Prisma.WebhookEndpointUpdateManyMutationInput,
    of: Prisma.WebhookEndpointWhereInput = {},
  ) =>
    prisma.$transaction(async (tx) => {
      const { accountId } = tenant
      await lockAccount(tx, accountId)
      const before = await tx.webhookEndpoint.findFirst({ where: { AND: [endpointsOf(tenant), { id }, of] } })
      if (before === null) return null
      const after = endpointFromRow(await tx.webhookEndpoint.update({ where: { id }, data }))
      await writeAudit(tx, accountId, by, endpointEntries(endpointFromRow(before), after))
      return after
    })
  return {
    create: (tenant, endpoint, by) =>
      prisma.$transaction(async (tx) => {
        const { accountId } = tenant
        // Creates of one business take turns, so that none counts past another.
        await lockAccount(tx, accountId)
        if ((await tx.webhookEndpoint.count({ where: endpointsOf(tenant) })) >= MAX_ENDPOINTS) return null
        const made = { accountId, apiVersion: API_VERSION, createdAt: by.at, updatedAt: by.at }
        const data = { ...endpoint, ...made, eventTypes: [...endpoint.eventTypes] }
        const created = endpointFromRow(await tx.webhookEndpoint.create({ data }))
        await writeAudit(tx, accountId, by, endpointEntries(null, created))
        return created
      }),

    async find(tenant, id) {
      const row = await prisma.webhookEndpoint.findFirst({ where: { ...everyOf(tenant), id } })
      return row === null ? null : endpointFromRow(row)
    },

    update: (tenant, id, patch, by) => change(tenant, id, by, { ...columnsOf(patch, by.at), updatedAt: by.at }),

    delete: (tenant, id, by) => change(tenant, id, by, { disabledAt: by.at, deletedAt: by.at, updatedAt: by.at }),

    async setSecret(tenant, id, from, { version, rotations }, by) {
      const data = { secretVersion: version, secretRotations: [...rotations] }
      const isFrom = { secretVersion: from.version }
      return (await change(tenant, id, by, data, isFrom)) !== null
    },
  }
}

const columnsOf = ({ eventTypes, isEnabled, ...patch }: WebhookEndpointPatch, at: Date) => ({
  ...patch,
  ...(eventTypes !== undefined && { eventTypes: [...eventTypes] }),
  ...(isEnabled !== undefined && { disabledAt: isEnabled ? null : at, disabledReason: null }),
})
