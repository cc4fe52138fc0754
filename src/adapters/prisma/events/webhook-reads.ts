// The webhook endpoints and deliveries that an edge can read with Prisma: those of one business. Deleted endpoints are not found, but
// deliveries to them are.
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { createReads, type Reads, type Without, type WithoutColumns } from '#adapters/prisma/reading.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Delivery } from '#core/events/delivery.ts'
import type { WebhookEndpoint } from '#core/events/endpoint.ts'
import { endpointFromRow, endpointsOf } from './endpoint-store.ts'

export type EndpointReads = Reads<
  Without<Prisma.WebhookEndpointFindManyArgs>,
  Without<Prisma.WebhookEndpointFindUniqueArgs>,
  WebhookEndpoint
>

export const createEndpointReads = (
  { webhookEndpoint }: Pick<PrismaClient, 'webhookEndpoint'>,
  tenant: Tenant,
): EndpointReads =>
  createReads({
    listed: endpointsOf(tenant),
    notFound: 'webhook_endpoint_not_found',
    rows: (AND, args) => webhookEndpoint.findMany({ ...args, where: { AND } }),
    read: (rows) => rows.map(endpointFromRow),
  })

/** With the relations that were included. */
export type DeliveryReads = Reads<
  WithoutColumns<Prisma.WebhookDeliveryFindManyArgs>,
  WithoutColumns<Prisma.WebhookDeliveryFindUniqueArgs>,
  Delivery
>

export const createDeliveryReads = (
  { webhookDelivery }: Pick<PrismaClient, 'webhookDelivery'>,
  { accountId }: Tenant,
): DeliveryReads =>
  createReads({
    listed: { accountId },
    notFound: 'delivery_not_found',
    rows: (AND, { include, ...args }) =>
      webhookDelivery.findMany({ ...args, where: { AND }, include: { ...include, ...URL } }),
    read: (rows) => rows.map(({ endpoint: { url }, ...row }) => ({ ...row, url })),
  })

const URL = { endpoint: { select: { url: true } } } as const
