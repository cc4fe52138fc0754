// The audit trail of a marketplace, the newest entry first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ACTOR_KINDS, type Actor, type ActorKind, AUDIT_ACTIONS, type AuditAction } from '#core/marketplace/audit.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { marketplaceOf } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { connectionNames, connectionOf, inSteps, PAGE_SIZES, requirePage } from '#graphql/page.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/pages-below.ts'

const ACTIONS: Readonly<Record<AuditAction, string>> = {
  'marketplace.updated': 'The terms of the marketplace changed.',
  'seller.created': 'A seller was created.',
  'seller.updated': 'The name, description, metadata, label or logo of a seller changed.',
  'seller.payout_changed': 'The sweep destination of a seller changed.',
  'seller.fee_changed': 'The rate of the marketplace for a seller changed.',
  'seller.archived': 'A seller was archived.',
  'payment.created': 'A payment for a seller was created.',
  'settlement.leg_waived': 'A fee of a settlement could not be paid to its wallet, and went to the seller.',
}

/** GraphQL names have no dots, so `seller.created` is `seller_created` here. */
const AuditActionEnum = builder.enumType('AuditAction', {
  description: 'What an entry of the audit trail is about. REST shows a dot in place of the first underscore.',
  values: Object.fromEntries(
    AUDIT_ACTIONS.map((action) => [action.replace('.', '_'), { value: action, description: ACTIONS[action] }]),
  ),
})

const KINDS: Readonly<Record<ActorKind, string>> = {
  api_key: 'A request with an API key of the marketplace.',
  operator: 'A request of the operator.',
  service: 'The service itself.',
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
      description: 'The mode and the last characters of the API key. Null for other sources.',
    }),
    ip: t.exposeString('ip', { nullable: true, description: 'The network address of the request.' }),
  }),
})

const AuditEntryType = builder.prismaObject('AuditEntry', {
  description: 'An entry of the audit trail of a marketplace. Entries are never changed or removed.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the entry.' }),
    action: t.expose('action', { type: AuditActionEnum, description: 'What it is about.' }),
    actor: t.expose('actor', { type: AuditActor, description: 'The source of the change.' }),
    sellerId: t.expose('sellerId', {
      type: 'UUID',
      nullable: true,
      description: 'The id of the seller. Null for a change of the marketplace.',
    }),
    seller: t.relation('seller', { nullable: true, description: 'The seller. Null for a change of the marketplace.' }),
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

builder.queryField('auditEntries', (t) =>
  t.connection(
    {
      type: AuditEntryType,
      nullable: true,
      description: `The audit trail of the marketplace, the newest entry first. ${REFUSED} ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: AuditFilter, description: 'Which entries to list.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const { tenant } = await marketplaceOf(context, 'marketplace-view')
        requirePage(args)
        const { sellerId, action } = filter ?? {}
        if (typeof sellerId === 'string') await context.services.marketplaces.findSeller(tenant, sellerId)
        const where: Prisma.AuditEntryWhereInput = {
          ...(typeof sellerId === 'string' && { sellerAccountId: sellerId }),
          ...(action && { action }),
        }
        const scope = JSON.stringify(['auditEntries', tenant.network, tenant.accountId, where])
        const position = (field: 'after' | 'before', cursor: string | undefined) =>
          cursor === undefined ? undefined : BigInt(openCursor(context.cursors, { scope, field, cursor }))
        requireSinglePages(info, ['edges', 'node', 'seller'], 'sellers')
        const query = await queryFromInfo({ context, info, typeName: 'AuditEntry', path: ['edges', 'node'] })
        requireSmallPages(sellerOf(query), 'sellers')
        const toCursor = (entry: { readonly position: bigint }) =>
          context.cursors.seal(scope, entry.position.toString())
        const connection = await connectionOf(args, toCursor, ({ after, before, limit, inverted }) => {
          const sides = [beyond('lt', position('after', after)), beyond('gt', position('before', before))]
          return context.reads(tenant).auditEntry.findMany({
            ...query,
            where: { AND: [where, ...sides] },
            orderBy: { position: inverted ? 'asc' : 'desc' },
            take: limit,
          })
        })
        return { ...connection, edges: inSteps(connection.edges) }
      },
    },
    ...connectionNames('AuditEntry'),
  ),
)

const beyond = (side: 'lt' | 'gt', position: bigint | undefined): Prisma.AuditEntryWhereInput =>
  position === undefined ? {} : { position: { [side]: position } }

/** Returns what is read of the seller of each entry. */
function sellerOf({ include }: Pick<Prisma.AuditEntryFindManyArgs, 'include'>): Prisma.AuditEntry$sellerArgs {
  const seller = include?.seller
  return typeof seller === 'object' ? seller : {}
}
