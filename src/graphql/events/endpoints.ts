// The webhook endpoints of a business: the type, the list, and the operations on them.
import type { Tenant } from '#core/accounts/account.ts'
import { MAX_ENDPOINTS } from '#core/events/endpoint.ts'
import { builder, guardNode, nodeKey, REFUSED } from '#graphql/builder.ts'
import { actorOf, businessOf, type Context, provenManagerOf, requireProof } from '#graphql/context.ts'
import { newestFirst } from '#graphql/newest-first.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import type {
  CreatedWebhookEndpoint,
  RotatedWebhookSecret,
  WebhookEndpointInput,
} from '#services/events/endpoint-services.ts'

/** Returns the business that manages its webhooks. */
export const managerOf = (context: Context): Promise<Tenant> => businessOf(context, 'webhooks-manage')

const authorOf = async (context: Context) => ({ tenant: await managerOf(context), actor: actorOf(context) })

export const NEEDS_SCOPE = 'Needs the scope `webhooks-manage`.'
const PROVEN = 'In a session it needs a proof of the last five minutes.'
const EVERY_TYPE = ['*']

guardNode('WebhookEndpoint', managerOf)

export const WebhookEndpointNode = builder.prismaNode('WebhookEndpoint', {
  description: 'A URL that receives events of the business as webhooks.',
  id: { field: 'id', description: 'The global id of the endpoint, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the endpoint, as REST shows it.' }),
    url: t.exposeString('url', { description: 'The URL.' }),
    eventTypes: t.stringList({
      description: 'The types of events that it receives. `*` alone is every type.',
      resolve: ({ eventTypes }) => (eventTypes.length === 0 ? EVERY_TYPE : [...eventTypes]),
    }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is for. Null when nothing says so.',
    }),
    enabled: t.boolean({
      description: 'Whether it receives events.',
      resolve: ({ disabledAt }) => disabledAt === null,
    }),
    disabledReason: t.exposeString('disabledReason', {
      nullable: true,
      description: 'Why the service disabled it. Null unless the service did.',
    }),
    apiVersion: t.exposeString('apiVersion', {
      description: 'The version of the payloads that it receives: that of the time of its creation.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})

builder.queryField('webhookEndpoints', (t) =>
  t.connection(
    {
      type: WebhookEndpointNode,
      nullable: true,
      description: `The webhook endpoints of the business, the newest first. ${NEEDS_SCOPE} ${REFUSED} ${PAGE_SIZES}`,
      resolve: async (_root, args, context) => {
        const tenant = await managerOf(context)
        const list = { name: 'webhookEndpoints', filter: {}, args }
        return await newestFirst(context, tenant, list, ({ sides, ...page }) =>
          context.reads(tenant).webhookEndpoint.findMany({ ...page, where: { AND: sides } }),
        )
      },
    },
    ...connectionNames('WebhookEndpoint'),
  ),
)

// Any string, because a text that is no endpoint's id gets the one answer that no endpoint has it.
export const ENDPOINT_ID = { required: true, description: 'The `uuid` of the endpoint.' } as const

builder.queryField('webhookEndpoint', (t) =>
  t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description: `Finds a webhook endpoint of the business by its id. ${NEEDS_SCOPE} ${REFUSED}`,
    args: { id: t.arg.string(ENDPOINT_ID) },
    resolve: async (_root, { id }, context) =>
      await context.services.webhookEndpoints.find(await managerOf(context), id),
  }),
)

const EVENT_TYPES =
  'The types of events that it receives, as `config` lists them; `*` alone, and null, choose every type.'
const DESCRIPTION = 'What it is for. Null and an empty text clear it.'
const URL =
  'An https URL whose host has a public address, without a user name. Webhooks are sent to it by POST, with a signature.'

const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'A webhook endpoint to create.',
  fields: (t) => ({
    url: t.string({ required: true, description: URL }),
    eventTypes: t.field({ type: ['Text'], description: EVENT_TYPES }),
    description: t.field({ type: 'FormText', description: DESCRIPTION }),
    enabled: t.boolean({ description: 'Whether it receives events. True when left out.' }),
  }),
})

const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'The fields to change. A field that is left out stays.',
  fields: (t) => ({
    url: t.string({ description: `${URL} Null leaves it as it is.` }),
    eventTypes: t.field({ type: ['Text'], description: EVENT_TYPES }),
    description: t.field({ type: 'FormText', description: DESCRIPTION }),
    enabled: t.boolean({
      description:
        'Whether it receives events. An event that happens while it is disabled has no delivery to it. Null leaves it as it is.',
    }),
  }),
})

type Changes = typeof UpdateWebhookEndpointInput.$inferInput

/** Returns what is given; a null type list is every type. */
const changesOf = ({ url, eventTypes, description, enabled }: Changes): Partial<WebhookEndpointInput> => ({
  ...(typeof url === 'string' && { url }),
  ...(eventTypes !== undefined && { eventTypes: eventTypes ?? EVERY_TYPE }),
  ...(description !== undefined && { description }),
  ...(typeof enabled === 'boolean' && { isEnabled: enabled }),
})

const CreatedEndpoint = builder.objectRef<CreatedWebhookEndpoint>('CreatedWebhookEndpoint').implement({
  description: 'A webhook endpoint after its creation, with its secret.',
  fields: (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'The endpoint.' }),
    secret: t.exposeString('secret', { description: 'What signs its webhooks. Shown here and never again.' }),
  }),
})

const RotatedSecret = builder.objectRef<RotatedWebhookSecret>('RotatedWebhookSecret').implement({
  description: 'A new secret of a webhook endpoint, and how long older ones sign.',
  fields: (t) => ({
    secret: t.exposeString('webhookSecret', { description: 'Shown here and never again.' }),
    oldSecretsUntil: t.field({
      type: ['DateTimeISO'],
      description: 'When each older secret that still signs stops, the newest first.',
      resolve: ({ oldSecretsUntil }) => [...oldSecretsUntil],
    }),
  }),
})

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    type: CreatedEndpoint,
    nullable: true,
    description: `Adds a webhook endpoint. A business has at most ${MAX_ENDPOINTS}. ${NEEDS_SCOPE} ${PROVEN} ${REFUSED}`,
    args: {
      input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'The endpoint to create.' }),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const manager = await provenManagerOf(context, 'webhooks-manage')
      const { tenant } = manager
      const { webhookEndpoints } = context.services
      const { input } = args
      const endpoint = {
        url: input.url,
        eventTypes: input.eventTypes ?? EVERY_TYPE,
        description: input.description ?? null,
        isEnabled: input.enabled ?? true,
      }
      return await once(context, tenant, info, args, {
        create: (id) => webhookEndpoints.create(manager, endpoint, id),
        find: (id) => webhookEndpoints.findCreated(tenant, id),
      })
    },
  }),
  updateWebhookEndpoint: t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description: `Changes a webhook endpoint. ${NEEDS_SCOPE} A session needs a proof of the last five minutes for another URL. ${REFUSED}`,
    args: {
      id: t.arg.string(ENDPOINT_ID),
      input: t.arg({ type: UpdateWebhookEndpointInput, required: true, description: 'The fields to change.' }),
    },
    resolve: async (_root, { id, input }, context) => {
      const author = await authorOf(context)
      // Another URL receives what the business knows of its buyers.
      if (typeof input.url === 'string') requireProof(context)
      return await context.services.webhookEndpoints.update(author, id, changesOf(input))
    },
  }),
  deleteWebhookEndpoint: t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description:
      'Deletes a webhook endpoint: nothing more is sent to it, and what waits for it fails. Its past deliveries stay. ' +
      `${NEEDS_SCOPE} ${REFUSED}`,
    args: { id: t.arg.string(ENDPOINT_ID) },
    resolve: async (_root, { id }, context) =>
      await context.services.webhookEndpoints.delete(await authorOf(context), id),
  }),
  rotateWebhookEndpointSecret: t.field({
    type: RotatedSecret,
    nullable: true,
    description:
      'Makes a new secret for a webhook endpoint. Each older one signs too, until 24 hours after it was replaced. ' +
      `${NEEDS_SCOPE} ${PROVEN} ${REFUSED}`,
    args: {
      id: t.arg.string(ENDPOINT_ID),
      revokeOld: t.arg.boolean({ defaultValue: false, description: 'Ends all older secrets now: one of them leaked.' }),
    },
    resolve: async (_root, { id, revokeOld }, context) => {
      const manager = await provenManagerOf(context, 'webhooks-manage')
      return await context.services.webhookEndpoints.rotateSecret(manager, id, { revokeOld: revokeOld ?? false })
    },
  }),
}))
