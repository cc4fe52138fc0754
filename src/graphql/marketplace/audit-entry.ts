// The audit log of a business, and the audit trail of its marketplace, which is a part of it: the newest entry first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tenant } from '#core/accounts/account.ts'
import {
  ACTOR_KINDS,
  type Actor,
  type ActorKind,
  AUDIT_ACTIONS,
  type AuditAction,
  MARKETPLACE_ACTIONS,
} from '#core/accounts/audit.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf, type Context, marketplaceOf } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { connectionNames, connectionOf, inSteps, PAGE_SIZES, type PageArguments, requirePage } from '#graphql/page.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/pages-below.ts'

const ACTIONS: Readonly<Record<AuditAction, string>> = {
  'marketplace.updated': 'The terms of the marketplace changed.',
  'seller.created': 'A seller was created.',
  'seller.updated': 'The name, description, metadata, label or logo of a seller changed.',
  'seller.payout_changed': 'The sweep destination of a seller changed.',
  'seller.fee_changed': 'The rate of the marketplace for a seller changed.',
  'seller.archived': 'A seller was archived.',
  'seller.disabled': 'The operator disabled a seller, or changed the reason.',
  'seller.enabled': 'The operator enabled a seller again.',
  'payment.created': 'A payment for a seller was created.',
  'settlement.leg_waived': 'A fee of a settlement could not be paid to its wallet, and went to the seller.',
  'business.updated': 'The name, label, logo, color, support or payment defaults of the business changed.',
  'business.payout_changed': 'The sweep destination of the business changed.',
  'business.disabled': 'The operator disabled the business, or changed the reason.',
  'business.enabled': 'The operator enabled the business again.',
  'business.applied': 'The business applied to be a marketplace.',
  'business.application_refused': 'The operator refused an application of the business.',
  'business.payout_change_requested': 'Another sweep destination of the business was asked for, which waits.',
  'business.payout_change_canceled': 'A sweep destination that waited was canceled.',
  'key.created': 'An API key was created.',
  'key.rolled': 'An API key was replaced by another one.',
  'key.revoked': 'An API key was revoked.',
  'webhook.created': 'A webhook endpoint was added.',
  'webhook.updated': 'The URL, types, description or state of a webhook endpoint changed.',
  'webhook.deleted': 'A webhook endpoint was deleted.',
  'webhook.secret_rotated': 'A webhook endpoint got a new secret.',
  'domain.added': 'A redirect domain was registered, or made active again.',
  'domain.archived': 'A redirect domain was made inactive.',
  'payment.address_proposed': 'The buyer of a payment proposed an address for held money.',
  'payment.address_approved': 'An address that a buyer proposed was approved: the held money was released there.',
  'payment.address_declined': 'An address that a buyer proposed was declined.',
  'refund.created': 'A refund was created, which the wallet of the business pays.',
  'refund.canceled': 'A refund was canceled.',
  'member.invited': 'A member was invited.',
  'member.updated': 'The name, email or role of a member changed.',
  'member.removed': 'A member was removed.',
  'member.link_created': 'A link was made by which a member sets up a login.',
  'member.login_added': 'A member set up a passkey or a wallet to log in with.',
  'member.login_removed': 'A member can no longer log in with a passkey or a wallet.',
  'member.session_started': 'A member logged in.',
  'member.session_ended': 'A session of a member was ended.',
}

/** GraphQL names have no dots, so `seller.created` is `seller_created` here. */
const AuditActionEnum = builder.enumType('AuditAction', {
  description: 'What an entry of the audit trail is about. REST shows a dot in place of the first underscore.',
  values: Object.fromEntries(
    AUDIT_ACTIONS.map((action) => [action.replace('.', '_'), { value: action, description: ACTIONS[action] }]),
  ),
})

const KINDS: Readonly<Record<ActorKind, string>> = {
  api_key: 'A request with an API key of the business.',
  member: 'A member of the business, in a session.',
  operator: 'A request of the operator.',
  service: 'The service itself.',
  buyer: 'The holder of the client secret of a payment.',
}

const ActorKindEnum = builder.enumType('AuditActorKind', {
  description: 'The kind of source of a change.',
  values: Object.fromEntries(ACTOR_KINDS.map((kind) => [kind, { value: kind, description: KINDS[kind] }])),
})

const AuditActor = builder.objectRef<Actor>('AuditActor').implement({
  description: 'The source of a change.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ActorKindEnum, description: 'The kind of source.' }),
    credential: t.exposeString('credential', {
      nullable: true,
      description:
        'The mode and the last characters of the API key, or the name of the member. Null for other sources.',
    }),
    memberId: t.expose('memberId', {
      type: 'UUID',
      nullable: true,
      description: 'The id of the member. Null for other sources.',
    }),
    ip: t.exposeString('ip', { nullable: true, description: 'The network address of the request.' }),
  }),
})

const AuditEntryType = builder.prismaObject('AuditEntry', {
  description: 'An entry of the audit log of a business. Entries are never changed or removed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the entry.' }),
    action: t.expose('action', { type: AuditActionEnum, description: 'What it is about.' }),
    actor: t.expose('actor', { type: AuditActor, description: 'The source of the change.' }),
    sellerId: t.expose('sellerId', {
      type: 'UUID',
      nullable: true,
      description: 'The id of the seller. Null for a change that is of no seller.',
    }),
    seller: t.relation('seller', {
      nullable: true,
      description: 'The seller. Null for a change that is of no seller.',
    }),
    changes: t.expose('changes', {
      type: 'JSONObject',
      description: 'Each changed field, by its name in REST, with a list of its value before and after.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the change.' }),
  }),
})

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries to list: those that match every field that is given.',
  fields: (t) => ({
    sellerId: t.string({ description: 'The `uuid` of a seller of the marketplace.' }),
    action: t.field({ type: AuditActionEnum, description: 'What the entries are about.' }),
  }),
})

const [connection, edge] = connectionNames('AuditEntry')
const AuditEdge = builder.edgeObject({ type: AuditEntryType, ...edge })
const AuditConnection = builder.connectionObject({ type: AuditEntryType, ...connection }, AuditEdge)

builder.queryFields((t) => ({
  auditEntries: t.connection(
    {
      type: AuditEntryType,
      nullable: true,
      description: `The audit trail of the marketplace, the newest entry first. ${REFUSED} ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: AuditFilter, description: 'Which entries to list.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const { tenant } = await marketplaceOf(context, 'marketplace-view')
        requirePage(args)
        const { sellerId } = filter ?? {}
        if (typeof sellerId === 'string') await context.services.marketplaces.findSeller(tenant, sellerId)
        const ofTrail = { action: { in: [...MARKETPLACE_ACTIONS] } }
        return await readPage(
          { name: 'auditEntries', tenant, where: { AND: [ofTrail, matching(filter)] }, args },
          context,
          info,
        )
      },
    },
    AuditConnection,
    AuditEdge,
  ),
  auditLog: t.connection(
    {
      type: AuditEntryType,
      nullable: true,
      description: `Who changed what in the business, its marketplace included, the newest entry first. Needs the permission \`audit-view\`. ${REFUSED} ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: AuditFilter, description: 'Which entries to list.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const tenant = await businessOf(context, 'audit-view')
        requirePage(args)
        return await readPage({ name: 'auditLog', tenant, where: matching(filter), args }, context, info)
      },
    },
    AuditConnection,
    AuditEdge,
  ),
}))

const matching = (filter: typeof AuditFilter.$inferInput | null | undefined): Prisma.AuditEntryWhereInput => ({
  ...(typeof filter?.sellerId === 'string' && { sellerAccountId: filter.sellerId }),
  ...(filter?.action && { action: filter.action }),
})

type Asked = {
  readonly name: string
  readonly tenant: Tenant
  readonly where: Prisma.AuditEntryWhereInput
  readonly args: PageArguments
}

async function readPage({ name, tenant, where, args }: Asked, context: Context, info: GraphQLResolveInfo) {
  const scope = JSON.stringify([name, tenant.network, tenant.accountId, where])
  const position = (field: 'after' | 'before', cursor: string | undefined) =>
    cursor === undefined ? undefined : BigInt(openCursor(context.cursors, { scope, field, cursor }))
  requireSinglePages(info, ['edges', 'node', 'seller'], 'sellers')
  const query = await queryFromInfo({ context, info, typeName: 'AuditEntry', path: ['edges', 'node'] })
  requireSmallPages(sellerOf(query), 'sellers')
  const toCursor = (entry: { readonly position: bigint }) => context.cursors.seal(scope, entry.position.toString())
  const page = await connectionOf(args, toCursor, ({ after, before, limit, inverted }) => {
    const sides = [beyond('lt', position('after', after)), beyond('gt', position('before', before))]
    return context.reads(tenant).auditEntry.findMany({
      ...query,
      where: { AND: [where, ...sides] },
      orderBy: { position: inverted ? 'asc' : 'desc' },
      take: limit,
    })
  })
  return { ...page, edges: inSteps(page.edges) }
}

const beyond = (side: 'lt' | 'gt', position: bigint | undefined): Prisma.AuditEntryWhereInput =>
  position === undefined ? {} : { position: { [side]: position } }

/** Returns what is read of the seller of each entry. */
function sellerOf({ include }: Pick<Prisma.AuditEntryFindManyArgs, 'include'>): Prisma.AuditEntry$sellerArgs {
  const seller = include?.seller
  return typeof seller === 'object' ? seller : {}
}
