// The endpoints of webhooks of a business. A deleted one is only a name of its deliveries.
import type { Database } from '#adapters/prisma/engine/engine.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { lockAccount } from '#adapters/prisma/transaction.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { MAX_ENDPOINTS, type WebhookEndpoint } from '#core/events/endpoint.ts'
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
  /** Returns null when the business has no such endpoint. */
  const change = async (tenant: Tenant, id: string, data: Prisma.WebhookEndpointUpdateManyMutationInput) => {
    const where = { AND: [endpointsOf(tenant), { id }] }
    const [row] = await prisma.webhookEndpoint.updateManyAndReturn({ where, data })
    return row === undefined ? null : endpointFromRow(row)
  }
  return {
    create: (tenant, endpoint) =>
      prisma.$transaction(async (tx) => {
        const { accountId } = tenant
        // Creates of one business take turns, so that none counts past another.
        await lockAccount(tx, accountId)
        if ((await tx.webhookEndpoint.count({ where: endpointsOf(tenant) })) >= MAX_ENDPOINTS) return null
        const { eventTypes, createdAt } = endpoint
        const made = { accountId, apiVersion: API_VERSION, updatedAt: createdAt }
        const data = { ...endpoint, ...made, eventTypes: [...eventTypes] }
        return endpointFromRow(await tx.webhookEndpoint.create({ data }))
      }),

    async find(tenant, id) {
      const row = await prisma.webhookEndpoint.findFirst({ where: { ...everyOf(tenant), id } })
      return row === null ? null : endpointFromRow(row)
    },

    update: (tenant, id, patch, at) => change(tenant, id, { ...columnsOf(patch, at), updatedAt: at }),
    delete: (tenant, id, at) => change(tenant, id, { disabledAt: at, deletedAt: at, updatedAt: at }),

    async setSecret(tenant, id, from, { version, rotations }) {
      const where = { AND: [endpointsOf(tenant), { id, secretVersion: from.version }] }
      const data = { secretVersion: version, secretRotations: [...rotations] }
      return (await prisma.webhookEndpoint.updateMany({ where, data })).count === 1
    },
  }
}

const columnsOf = ({ eventTypes, isEnabled, ...patch }: WebhookEndpointPatch, at: Date) => ({
  ...patch,
  ...(eventTypes !== undefined && { eventTypes: [...eventTypes] }),
  ...(isEnabled !== undefined && { disabledAt: isEnabled ? null : at, disabledReason: null }),
})
