// The redirect domains of a business: the list, and the operations on them.

import type { RedirectDomain } from '#core/billing/catalogue.ts'
import { ServiceError } from '#core/errors.ts'
import { builder, nodeKey, REFUSED } from '#graphql/builder.ts'
import { actorOf, type Context } from '#graphql/context.ts'
import { IDEMPOTENCY_KEY, once } from '#graphql/once.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import type { DomainAuthor } from '#services/billing/catalogue-services.ts'
import { newestFirst } from './list.ts'
import { guardBillingNode, merchantOf, ON_BEHALF_OF } from './merchant.ts'

// A host to which checkouts of a business may redirect. Spec: "Subscription resources".

guardBillingNode('RedirectDomain')

const RedirectDomainNode = builder.prismaNode('RedirectDomain', {
  description: 'A host to which checkouts of the business may redirect.',
  id: { field: 'id', description: 'The global id of the domain, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the domain, as REST shows it.' }),
    host: t.exposeString('host', { description: 'The host, in lower case and punycode.' }),
    active: t.exposeBoolean('active', { description: 'Whether new checkouts may redirect there.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})

// Any string, because a text that is no domain's id gets the one answer that no domain has it.
const ID = { required: true, description: 'The `uuid` of the domain.' } as const

builder.queryField('redirectDomains', (t) =>
  t.connection(
    {
      type: RedirectDomainNode,
      nullable: true,
      description: `The redirect domains of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        active: t.arg.boolean({ description: 'Active ones only, or inactive ones only. Both when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { active, onBehalfOf, ...args }, context) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const where = typeof active === 'boolean' ? { active } : {}
        return await newestFirst(
          context,
          merchant,
          { name: 'redirectDomains', filter: where, args },
          ({ sides, ...page }) =>
            context.reads(merchant.tenant).redirectDomain.findMany({ ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('RedirectDomain'),
  ),
)

builder.queryField('redirectDomain', (t) =>
  t.field({
    type: RedirectDomainNode,
    nullable: true,
    description: `Finds a redirect domain of the business by its id. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
      return await context.services.catalogue.findDomain(merchant, id)
    },
  }),
)

const CreatedRedirectDomain = builder
  .objectRef<{ readonly domain: RedirectDomain; readonly created: boolean }>('CreatedRedirectDomain')
  .implement({
    description: 'A redirect domain after its registration.',
    fields: (t) => ({
      domain: t.expose('domain', { type: RedirectDomainNode, description: 'The domain.' }),
      created: t.exposeBoolean('created', { description: 'False when the host was registered already.' }),
    }),
  })

/** Returns who asks. The log of the business that asks has the change, also where it acts for a seller. */
function authorOf(context: Context): DomainAuthor {
  const { principal } = context
  if (principal.kind === 'anonymous') throw new ServiceError('unauthenticated')
  return { actor: actorOf(context), logOf: principal.tenant.accountId }
}

builder.mutationFields((t) => ({
  createRedirectDomain: t.field({
    type: CreatedRedirectDomain,
    nullable: true,
    description: `Registers a host, or makes the registered one active again. ${REFUSED}`,
    args: {
      host: t.arg.string({
        required: true,
        description: 'The host alone: no scheme, port, path, wildcard or address. At most 253 characters.',
      }),
      onBehalfOf: t.arg.string(ON_BEHALF_OF),
      idempotencyKey: t.arg.string(IDEMPOTENCY_KEY),
    },
    resolve: async (_root, args, context, info) => {
      const { host, onBehalfOf } = args
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      const { catalogue } = context.services
      return await once(context, merchant.tenant, info, args, {
        create: (id) => catalogue.createDomain(merchant, host, authorOf(context), id),
        find: async (id) => ({ domain: await catalogue.findDomain(merchant, id), created: true }),
      })
    },
  }),
  archiveRedirectDomain: t.field({
    type: RedirectDomainNode,
    nullable: true,
    description: `Makes a domain inactive: new checkouts cannot redirect there. A repeat changes nothing. ${REFUSED}`,
    args: { id: t.arg.string(ID), onBehalfOf: t.arg.string(ON_BEHALF_OF) },
    resolve: async (_root, { id, onBehalfOf }, context) => {
      const merchant = await merchantOf(context, 'subscriptions-manage', onBehalfOf)
      return await context.services.catalogue.archiveDomain(merchant, id, authorOf(context))
    },
  }),
}))
