// The webhook endpoints that an edge can read with Prisma: those of one business that are not deleted.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { found, type Without, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Delivery } from '#core/events/delivery.ts'
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

// The deliveries that an edge can read with Prisma: those to the endpoints of one business, deleted ones too.

export type DeliveryReads = {
  findMany(args: WithoutColumns<Prisma.WebhookDeliveryFindManyArgs>): Promise<Delivery[]>
  findUnique(args: WithoutColumns<Prisma.WebhookDeliveryFindUniqueArgs>): Promise<Delivery | null>
  /** Throws `delivery_not_found`. */
  findUniqueOrThrow(args: WithoutColumns<Prisma.WebhookDeliveryFindUniqueOrThrowArgs>): Promise<Delivery>
}

export function createDeliveryReads(
  { webhookDelivery }: Pick<PrismaClient, 'webhookDelivery'>,
  { accountId }: Tenant,
): DeliveryReads {
  const findUnique: DeliveryReads['findUnique'] = async ({ where, include }) => {
    const own = { AND: [{ accountId }, { id: where.id ?? '' }] }
    const row = await webhookDelivery.findFirst({ where: own, include: { ...include, ...URL } })
    return row === null ? null : readDelivery(row)
  }
  return {
    async findMany({ where, include, ...args }) {
      const own = { AND: [{ accountId }, where ?? {}] }
      const rows = await webhookDelivery.findMany({ ...args, where: own, include: { ...include, ...URL } })
      return rows.map(readDelivery)
    },
    findUnique,
    findUniqueOrThrow: async (args) => found(await findUnique(args), 'delivery_not_found'),
  }
}

const URL = { endpoint: { select: { url: true } } } as const

type Row = Prisma.WebhookDeliveryGetPayload<{ include: typeof URL }>

/** Returns the delivery of a row, with the rows of the relations that were included. */
const readDelivery = ({ endpoint: { url }, ...row }: Row): Delivery => ({ ...row, url })
