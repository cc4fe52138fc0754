// The webhook endpoints that an edge can read with Prisma: those of one business that are not deleted.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, type Without } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { WebhookEndpoint } from '#core/events/endpoint.ts'
import { endpointFromRow, endpointsOf } from './endpoint-store.ts'

export type EndpointReads = {
  findMany(args: Without<Prisma.WebhookEndpointFindManyArgs>): Promise<WebhookEndpoint[]>
  findUnique(args: Without<Prisma.WebhookEndpointFindUniqueArgs>): Promise<WebhookEndpoint | null>
  /** Throws `webhook_endpoint_not_found`. */
  findUniqueOrThrow(args: Without<Prisma.WebhookEndpointFindUniqueOrThrowArgs>): Promise<WebhookEndpoint>
}

export function createEndpointReads(
  { webhookEndpoint }: Pick<PrismaClient, 'webhookEndpoint'>,
  tenant: Tenant,
): EndpointReads {
  const visible = endpointsOf(tenant)
  const findUnique: EndpointReads['findUnique'] = async ({ where }) => {
    const row = await webhookEndpoint.findFirst({ where: { AND: [visible, { id: where.id ?? '' }] } })
    return row === null ? null : endpointFromRow(row)
  }
  return {
    async findMany({ where, ...args }) {
      const rows = await webhookEndpoint.findMany({ ...args, where: { AND: [visible, where ?? {}] } })
      return rows.map(endpointFromRow)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'webhook_endpoint_not_found'),
  }
}
