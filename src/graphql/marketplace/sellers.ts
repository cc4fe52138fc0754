// The sellers of a marketplace, the newest first, in pages.

import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { readSearch } from '#core/marketplace/search.ts'
import { builder, guardNode, nodeKey, REFUSED } from '#graphql/builder.ts'
import { marketplaceOf } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { connectionNames, connectionOf, inSteps, PAGE_SIZES, requirePage } from '#graphql/page.ts'
import { requireSinglePages, requireSmallPages } from '#graphql/pages-below.ts'
import { literal } from '#lib/values.ts'

// A seller as its marketplace sees it.

const SellerStatus = builder.enumType('SellerStatus', {
  description: 'Whether a seller accepts new payments.',
  values: {
    active: { description: 'It accepts new payments.' },
    archived: { description: 'It accepts no new payments. Its history remains.' },
  } as const,
})

guardNode('Seller', (context) => marketplaceOf(context, 'marketplace-view'))

export const SellerNode = builder.prismaNode('Account', {
  name: 'Seller',
  description: 'A seller that the marketplace takes payments for. It has no API key.',
  id: { field: 'id', description: 'The global id of the seller, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the seller, as REST shows it.' }),
    name: t.exposeString('name', { description: 'The name of the seller.' }),
    externalId: t.exposeString('externalId', { nullable: true, description: 'The id that the marketplace gave it.' }),
    description: t.exposeString('description', { nullable: true, description: 'The description of the seller.' }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: 'Data of the marketplace, as it was given.' }),
    label: t.exposeString('label', {
      nullable: true,
      description: 'The name that buyers see. Null is the name of the seller.',
    }),
    logoUrl: t.string({
      nullable: true,
      description: 'The URL of its logo. Null while it has none.',
      resolve: ({ logoName }, _args, { services }) => services.images.urlOf(logoName),
    }),
    sweepDestination: t.expose('sweepDestination', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that receives its settlements. It accepts no payment while there is none.',
    }),
    marketplaceFeeBps: t.exposeInt('marketplaceFeeBps', {
      nullable: true,
      description: 'The rate of the marketplace in basis points. Null is the default rate of the marketplace.',
    }),
    derivationIndex: t.exposeInt('derivationIndex', {
      description: 'Its index in the key tree. It survives archiving.',
    }),
    status: t.field({
      type: SellerStatus,
      description: 'Whether it accepts new payments.',
      resolve: ({ archivedAt }) => (archivedAt === null ? 'active' : 'archived'),
    }),
    archivedAt: t.expose('archivedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was archived. Null while it is active.',
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description:
        'The time at which the operator disabled it: payments and subscriptions for it are refused with `account_disabled`. Null while it is enabled.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})

const SellerFilter = builder.inputType('SellerFilter', {
  description: 'Which sellers to list: those that match every field that is given.',
  fields: (t) => ({
    search: t.field({
      type: 'FormText',
      description: 'A part of the name or of the external id, in any case. Blank matches every seller.',
    }),
    includeArchived: t.boolean({ description: 'Whether archived sellers are listed too. False when left out.' }),
  }),
})

type Filter = typeof SellerFilter.$inferInput
type Position = { readonly createdAt: Date; readonly id: string }

builder.queryField('sellers', (t) =>
  t.connection(
    {
      type: SellerNode,
      nullable: true,
      description: `The sellers of the marketplace, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: SellerFilter, description: 'Which sellers to list.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const { tenant } = await marketplaceOf(context, 'marketplace-view')
        requirePage(args)
        requireSinglePages(info, ['edges', 'node'], 'sellers')
        const query = await queryFromInfo({ context, info, typeName: 'Seller', path: ['edges', 'node'] })
        requireSmallPages(query, 'sellers')
        const where = matching(filter ?? {})
        const scope = JSON.stringify(['sellers', tenant.network, tenant.accountId, where])
        const position = (field: 'after' | 'before', cursor: string | undefined) =>
          cursor === undefined ? undefined : positionOf(openCursor(context.cursors, { scope, field, cursor }))
        const toCursor = (row: Position) => context.cursors.seal(scope, `${row.createdAt.toISOString()} ${row.id}`)
        const connection = await connectionOf(args, toCursor, ({ after, before, limit, inverted }) => {
          const order = inverted ? 'asc' : 'desc'
          const sides = [beyond('lt', position('after', after)), beyond('gt', position('before', before))]
          return context.reads(tenant).account.findMany({
            ...query,
            where: { AND: [where, ...sides] },
            orderBy: [{ createdAt: order }, { id: order }],
            take: limit,
          })
        })
        return { ...connection, edges: inSteps(connection.edges) }
      },
    },
    ...connectionNames('Seller'),
  ),
)

function matching({ search, includeArchived }: Filter): Prisma.AccountWhereInput {
  const asked = readSearch(search ?? '')
  return {
    ...(asked !== null && {
      searchParts: { hasEvery: [...asked.parts] },
      searchText: { contains: literal(asked.text) },
    }),
    ...(includeArchived !== true && { archivedAt: null }),
  }
}

/** Selects the rows on one side of a position, in the order of (created_at, id). */
function beyond(side: 'lt' | 'gt', position: Position | undefined): Prisma.AccountWhereInput {
  if (position === undefined) return {}
  const { createdAt, id } = position
  // The first condition is implied. It is the one by which an index begins at the position.
  const bound = side === 'lt' ? { lte: createdAt } : { gte: createdAt }
  return { createdAt: bound, OR: [{ createdAt: { [side]: createdAt } }, { id: { [side]: id } }] }
}

function positionOf(position: string): Position {
  const [createdAt = '', id = ''] = position.split(' ')
  return { createdAt: new Date(createdAt), id }
}
