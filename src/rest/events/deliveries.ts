// The deliveries of events to the endpoints of a business.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { body, keyText, shownAs, timeParameter } from '#http/input.ts'
import {
  RestFindWebhookDeliveryDocument,
  RestRedeliverWebhookDocument,
  RestRedeliverWebhooksDocument,
  RestTestWebhookEndpointDocument,
  RestWebhookDeliveriesDocument,
  type WebhookDeliveryStatus,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  pending: 'pending',
  succeeded: 'succeeded',
  failed: 'failed',
} as const satisfies { readonly [Status in WebhookDeliveryStatus]: Status }

const RULE = `must be one or more of ${Object.keys(STATUSES).join(', ')}, with commas between them`

/** One status, or several with commas between them: a list in a query, and a text in a body. */
const statuses = (shown: Readonly<Record<string, unknown>>) =>
  z
    .string(RULE)
    .meta(shownAs(shown))
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(STATUSES, RULE), RULE).max(3, RULE))
    .optional()
const NAMES = Object.keys(STATUSES)
const statusParameter = statuses({ type: 'array', items: { type: 'string', enum: NAMES } })
const statusField = statuses({ type: 'string', pattern: `^(?:${NAMES.join('|')})(?:,(?:${NAMES.join('|')})){0,2}$` })

export const webhookDeliveryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/webhook-deliveries',
    credential: 'key',
    document: RestWebhookDeliveriesDocument,
    input: z.object({
      ...pageParameters,
      endpoint_id: keyText.optional(),
      event_id: keyText.optional(),
      payment_id: keyText.optional(),
      type: keyText.optional(),
      status: statusParameter,
      from: timeParameter.optional(),
      to: timeParameter.optional(),
    }),
    variables: ({ limit, cursor, endpoint_id, event_id, payment_id, type, status, from, to }) => ({
      first: limit,
      after: cursor ?? null,
      filter: {
        endpointId: endpoint_id ?? null,
        eventId: event_id ?? null,
        paymentId: payment_id ?? null,
        type: type ?? null,
        status: status ?? null,
        from: from ?? null,
        to: to ?? null,
      },
    }),
    reply: ({ deliveries }) => ({ body: { deliveries: nodesOf(deliveries), next_cursor: nextCursor(deliveries) } }),
  }),
  endpoint({
    method: 'GET',
    path: '/webhook-deliveries/:id',
    credential: 'key',
    document: RestFindWebhookDeliveryDocument,
    ...BY_ID,
    reply: ({ delivery }) => ({ body: delivery }),
  }),
  endpoint({
    method: 'POST',
    path: '/webhook-deliveries/:id/redeliver',
    credential: 'key',
    document: RestRedeliverWebhookDocument,
    ...BY_ID,
    reply: ({ delivery }) => ({ status: 202, body: { delivery } }),
  }),
  endpoint({
    method: 'POST',
    path: '/webhook-endpoints/:id/test',
    credential: 'key',
    document: RestTestWebhookEndpointDocument,
    ...BY_ID,
    reply: ({ delivery }) => ({ status: 202, body: { delivery } }),
  }),
  endpoint({
    method: 'POST',
    path: '/webhook-endpoints/:id/redeliver',
    credential: 'key',
    document: RestRedeliverWebhooksDocument,
    input: body({
      id: z.string(),
      since: timeParameter,
      until: timeParameter.optional(),
      status: statusField,
    }),
    variables: ({ id, since, until, status }) => ({ id, since, until: until ?? null, status: status ?? null }),
    reply: ({ count }) => ({ status: 202, body: { count } }),
  }),
]
