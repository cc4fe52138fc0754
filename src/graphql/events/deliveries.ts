// The deliveries of events to the endpoints of a business: the list, and one with every attempt.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import { type DeliveryStatus, KEPT_ATTEMPTS } from '#core/events/delivery.ts'
import { builder, guardNode, nodeKey, REFUSED } from '#graphql/builder.ts'
import { ENDPOINT_ID, managerOf, NEEDS_SCOPE } from '#graphql/events/endpoints.ts'
import { shown, WebhookEvent } from '#graphql/events/events.ts'
import { newestFirst } from '#graphql/newest-first.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { NODES } from '#graphql/pages-below.ts'
import { requireRange } from '#graphql/payments/payment-page.ts'
import { requireEventType } from '#services/events/event-log.ts'
import { isUuid } from '#services/requests.ts'

export const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'How far a delivery is.',
  values: {
    pending: { description: 'A request follows.' },
    succeeded: { description: 'The endpoint answered with a 2xx status.' },
    failed: { description: 'It used up its retries, the endpoint answered 410, or the endpoint is disabled.' },
  } satisfies Record<DeliveryStatus, { readonly description: string }>,
})

builder.prismaObject('WebhookAttempt', {
  description: 'A request to an endpoint, and what came back.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Counts the attempts of the delivery, from 1.' }),
    startedAt: t.expose('startedAt', { type: 'DateTimeISO', description: 'The time at which it began.' }),
    durationMs: t.exposeInt('durationMs', { description: 'How long it took, in milliseconds.' }),
    requestHeaders: t.field({
      type: 'JSONObject',
      description: 'The headers of the request, with the signatures of its time. Its body is the event.',
      resolve: ({ requestHeaders }) => Object(requestHeaders),
    }),
    responseStatus: t.exposeInt('responseStatus', {
      nullable: true,
      description: 'The status of the answer. Null when there was none.',
    }),
    responseHeaders: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The headers of the answer, of at most 4 KB together. Null when there was none.',
      resolve: ({ responseHeaders }) => responseHeaders && Object(responseHeaders),
    }),
    responseBody: t.exposeString('responseBody', {
      nullable: true,
      description: 'The first 2 KB of the answer, as text. Null when there was none.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed. Null when it did not.' }),
  }),
})

guardNode('WebhookDelivery', managerOf)

export const WebhookDeliveryNode = builder.prismaNode('WebhookDelivery', {
  description: 'One event on its way to one endpoint of the business.',
  id: { field: 'id', description: 'The global id of the delivery, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the delivery, as REST shows it.' }),
    endpointId: t.expose('endpointId', {
      type: 'UUID',
      description: 'The `uuid` of the endpoint, which may be deleted by now.',
    }),
    url: t.exposeString('url', { description: 'The present URL of the endpoint, or its last one.' }),
    eventId: t.expose('eventId', { type: 'UUID', description: 'The id of the event. `webhook-id` carries it.' }),
    type: t.exposeString('type', { description: 'The type of the event.' }),
    status: t.expose('status', { type: DeliveryStatusEnum, description: 'How far it is.' }),
    attemptCount: t.exposeInt('attempts', { description: 'The number of requests that were sent.' }),
    nextAttemptAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the next request. Null when none follows.',
      resolve: ({ status, nextAttemptAt }) => (status === 'pending' ? nextAttemptAt : null),
    }),
    lastStatusCode: t.exposeInt('lastStatusCode', {
      nullable: true,
      description: 'The status of the last answer. Null while there is none.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'What went wrong at the last request. Null when nothing did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the event.' }),
    attempts: t.relation('attemptLog', {
      description: `Its requests, the oldest first: all but when there are more than ${KEPT_ATTEMPTS}, of which the newest are kept.`,
      query: { orderBy: { number: 'asc' } },
    }),
    event: t.field({
      type: WebhookEvent,
      description: 'The event, whose fields are the body of every request.',
      select: { event: { include: { account: true } } },
      resolve: ({ event: { account, ...event } }, _args, context) => {
        const { id, name, externalId, marketplaceAccountId } = account
        return shown({ ...event, account: { id, name, externalId, isSeller: marketplaceAccountId !== null } }, context)
      },
    }),
  }),
})

/** As many as a page of events has. */
const MOST_EVENTS = 100

const WebhookDeliveryFilter = builder.inputType('WebhookDeliveryFilter', {
  description: 'Which deliveries to list: those that match every field that is given.',
  fields: (t) => ({
    // Any string, because a text that is no id gets the answer of an id that nothing has.
    endpointId: t.string({ description: 'To this endpoint.' }),
    eventId: t.string({ description: 'Deliveries of this event.' }),
    eventIds: t.stringList({ description: `Deliveries of these events, at most ${MOST_EVENTS}.` }),
    paymentId: t.string({ description: 'Deliveries of the events of this payment.' }),
    type: t.field({ type: 'Text', description: 'Deliveries of events of this type.' }),
    status: t.field({ type: [DeliveryStatusEnum], description: 'With any of these statuses.' }),
    from: t.field({ type: 'DateTimeISO', description: 'Deliveries of events at this time or later.' }),
    to: t.field({ type: 'DateTimeISO', description: 'Deliveries of events before this time.' }),
  }),
})

type Filter = typeof WebhookDeliveryFilter.$inferInput

/** Throws `invalid_request`. */
function matching({
  endpointId,
  eventId,
  eventIds,
  paymentId,
  type,
  status,
  from,
  to,
}: Filter): Prisma.WebhookDeliveryWhereInput {
  requireRange(from, to)
  if ((eventIds?.length ?? 0) > MOST_EVENTS)
    throw new ServiceError('invalid_request', { field: 'eventIds', rule: `must name at most ${MOST_EVENTS} events` })
  if (typeof type === 'string') requireEventType(type)
  return {
    ...(typeof endpointId === 'string' && { endpointId: nodeKey(endpointId).id }),
    ...(typeof eventId === 'string' && { eventId: nodeKey(eventId).id }),
    ...(eventIds && { AND: { eventId: { in: eventIds.map((id) => nodeKey(id).id) } } }),
    ...(typeof paymentId === 'string' && { event: { intentId: nodeKey(paymentId).id } }),
    ...(typeof type === 'string' && { type }),
    ...(status && { status: { in: status } }),
    createdAt: { ...(from && { gte: from }), ...(to && { lt: to }) },
  }
}

builder.queryField('deliveries', (t) =>
  t.connection(
    {
      type: WebhookDeliveryNode,
      nullable: true,
      description:
        'The deliveries to the endpoints of the business, deleted ones too, the newest first. They are kept for 60 days after ' +
        `they ended. ${NEEDS_SCOPE} ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: WebhookDeliveryFilter, description: 'Which deliveries to list. All when left out.' }),
      },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const tenant = await managerOf(context)
        const where = matching(filter ?? {})
        const list = { name: 'deliveries', filter: where, args }
        const query = await queryFromInfo({ context, info, typeName: 'WebhookDelivery', path: NODES })
        return await newestFirst(context, tenant, list, ({ sides, ...page }) =>
          context.reads(tenant).webhookDelivery.findMany({
            ...page,
            ...query,
            where: { AND: [where, ...sides] },
          }),
        )
      },
    },
    ...connectionNames('WebhookDelivery'),
  ),
)

// Any string, because a text that is no id gets the answer of an id that no delivery has.
export const DELIVERY_ID = { required: true, description: 'The `uuid` of the delivery.' } as const

builder.queryField('delivery', (t) =>
  t.prismaField({
    type: WebhookDeliveryNode,
    nullable: true,
    description: `Finds a delivery to an endpoint of the business by its id. ${NEEDS_SCOPE} ${REFUSED}`,
    args: { id: t.arg.string(DELIVERY_ID) },
    resolve: async (query, _root, { id }, context) => {
      const { webhookDelivery } = context.reads(await managerOf(context))
      if (!isUuid(id)) throw new ServiceError('delivery_not_found')
      return await webhookDelivery.findUniqueOrThrow({ ...query, where: { id } })
    },
  }),
)

// Sending again, and a test.

builder.mutationFields((t) => ({
  testWebhookEndpoint: t.field({
    type: WebhookDeliveryNode,
    nullable: true,
    description:
      'Sends a `webhook.test` to a webhook endpoint alone, whatever types it has chosen. Answers its delivery, before it was sent. ' +
      `${NEEDS_SCOPE} ${REFUSED}`,
    args: { id: t.arg.string(ENDPOINT_ID) },
    resolve: async (_root, { id }, context) =>
      await context.services.webhookEndpoints.test(await managerOf(context), id),
  }),
  redeliver: t.field({
    type: WebhookDeliveryNode,
    nullable: true,
    description:
      'Sends a delivery again, now, whatever became of it. The event keeps its id. A delivery that is being sent is not sent twice. ' +
      `${NEEDS_SCOPE} ${REFUSED}`,
    args: { id: t.arg.string(DELIVERY_ID) },
    resolve: async (_root, { id }, context) =>
      await context.services.webhookEndpoints.redeliver(await managerOf(context), id),
  }),
  redeliverAll: t.int({
    nullable: true,
    description:
      'Sends deliveries to a webhook endpoint again, now: the oldest 10,000 that match. Answers their number. ' +
      `${NEEDS_SCOPE} ${REFUSED}`,
    args: {
      endpointId: t.arg.string(ENDPOINT_ID),
      since: t.arg({ type: 'DateTimeISO', required: true, description: 'Deliveries of events at this time or later.' }),
      until: t.arg({ type: 'DateTimeISO', description: 'Deliveries of events before this time.' }),
      status: t.arg({
        type: [DeliveryStatusEnum],
        description: 'With any of these statuses. Failed ones when left out.',
      }),
    },
    resolve: async (_root, { endpointId, since, until, status }, context) => {
      const tenant = await managerOf(context)
      requireRange(since, null)
      const part = { endpointId, since, until: until ?? null, statuses: status ?? (['failed'] as const) }
      return await context.services.webhookEndpoints.redeliverAll(tenant, part)
    },
  }),
}))
