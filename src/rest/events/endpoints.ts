// The webhook endpoints of a business.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { body, sent, text } from '#http/input.ts'
import {
  RestCreateWebhookEndpointDocument,
  RestDeleteWebhookEndpointDocument,
  RestFindWebhookEndpointDocument,
  RestRotateWebhookEndpointSecretDocument,
  RestUpdateWebhookEndpointDocument,
  RestWebhookEndpointsDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'

const TYPES = "must be '*', or a list of types of events"
const url = z.string('must be a string')
const flag = z.boolean('must be true or false')
const fields = {
  event_types: z
    .union([z.literal('*').transform((every) => [every]), z.array(z.string(TYPES), TYPES)], TYPES)
    .optional(),
  description: text.nullish(),
  enabled: flag.optional(),
}

type Fields = z.infer<z.ZodObject<typeof fields>>

const inputOf = ({ event_types, description, enabled }: Fields) =>
  sent({ eventTypes: event_types, description, enabled })

export const webhookEndpointEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/webhook-endpoints',
    credential: 'key',
    document: RestCreateWebhookEndpointDocument,
    input: body({ ...fields, url }),
    variables: ({ url, ...given }) => ({ input: { url, ...inputOf(given) } }),
    reply: ({ created: { endpoint, secret } }) => ({ status: 201, body: { ...endpoint, secret } }),
  }),
  endpoint({
    method: 'GET',
    path: '/webhook-endpoints',
    credential: 'key',
    document: RestWebhookEndpointsDocument,
    input: z.object(pageParameters),
    variables: ({ limit, cursor }) => ({ first: limit, after: cursor ?? null }),
    reply: ({ endpoints }) => ({ body: { endpoints: nodesOf(endpoints), next_cursor: nextCursor(endpoints) } }),
  }),
  endpoint({
    method: 'GET',
    path: '/webhook-endpoints/:id',
    credential: 'key',
    document: RestFindWebhookEndpointDocument,
    ...BY_ID,
    reply: ({ endpoint }) => ({ body: endpoint }),
  }),
  endpoint({
    method: 'PATCH',
    path: '/webhook-endpoints/:id',
    credential: 'key',
    document: RestUpdateWebhookEndpointDocument,
    input: body({ ...fields, id: z.string(), url: url.optional() }),
    variables: ({ id, url, ...given }) => ({ id, input: sent({ url, ...inputOf(given) }) }),
    reply: ({ endpoint }) => ({ body: endpoint }),
  }),
  endpoint({
    method: 'DELETE',
    path: '/webhook-endpoints/:id',
    credential: 'key',
    document: RestDeleteWebhookEndpointDocument,
    ...BY_ID,
    reply: ({ endpoint }) => ({ body: endpoint }),
  }),
  endpoint({
    method: 'POST',
    path: '/webhook-endpoints/:id/rotate-secret',
    credential: 'key',
    document: RestRotateWebhookEndpointSecretDocument,
    input: body({ id: z.string(), revoke_old: flag.optional() }),
    variables: ({ id, revoke_old }) => ({ id, revokeOld: revoke_old ?? false }),
    reply: ({ rotated }) => ({ body: rotated }),
  }),
]
