// The payments of a business, the newest first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { inSteps } from '#graphql/in-steps.ts'
import { connectionNames, connectionOf, MAX_PAGE_BELOW, PAGE_SIZES, requirePage } from '#graphql/page.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { requireSinglePages } from '#graphql/payments/single-pages.ts'
import { IntentStatusEnum } from '#graphql/payments/status.ts'

const PaymentIntentFilter = builder.inputType('PaymentIntentFilter', {
  description: 'Which payments to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: [IntentStatusEnum], description: 'Any of these statuses.' }),
    reference: t.field({ type: 'Text', description: 'This reference.' }),
    createdFrom: t.field({ type: 'DateTimeISO', description: 'Created at this time or later.' }),
    createdTo: t.field({ type: 'DateTimeISO', description: 'Created before this time.' }),
  }),
})

type Filter = typeof PaymentIntentFilter.$inferInput
type Position = { readonly createdAt: Date; readonly id: string }

builder.queryField('paymentIntents', (t) =>
  t.connection(
    {
      type: PaymentIntentNode,
      description: `The payments of the business, and those that it takes for sellers, the newest first. ${PAGE_SIZES}`,
      args: { filter: t.arg({ type: PaymentIntentFilter, description: 'Which payments to list. All when left out.' }) },
      resolve: async (_root, { filter, ...args }, context, info) => {
        const tenant = await businessOf(context)
        requirePage(args)
        requireKnownYear('createdFrom', filter?.createdFrom)
        requireKnownYear('createdTo', filter?.createdTo)
        requireSinglePages(info, ['edges', 'node'])
        const scope = JSON.stringify(['paymentIntents', tenant.network, tenant.accountId, filter ?? null])
        const query = await queryFromInfo({ context, info, typeName: 'PaymentIntent', path: ['edges', 'node'] })
        requireSmallPages(query)
        const position = (field: 'after' | 'before', cursor: string | undefined) =>
          cursor === undefined ? undefined : positionOf(openCursor(context.cursors, { scope, field, cursor }))
        const toCursor = (row: Position) => context.cursors.seal(scope, `${row.createdAt.toISOString()} ${row.id}`)
        const connection = await connectionOf(args, toCursor, ({ after, before, limit, inverted }) => {
          const order = inverted ? 'asc' : 'desc'
          const sides = [beyond('lt', position('after', after)), beyond('gt', position('before', before))]
          return context.reads(tenant).paymentIntent.findMany({
            ...query,
            where: { AND: [matching(filter ?? {}), ...sides] },
            orderBy: [{ createdAt: order }, { id: order }],
            take: limit,
          })
        })
        return { ...connection, edges: inSteps(connection.edges) }
      },
    },
    ...connectionNames('PaymentIntent'),
  ),
)

/** Throws `invalid_request` on a page below each payment that is too large: the page of payments multiplies it. */
function requireSmallPages({ select, include }: Pick<Prisma.PaymentIntentFindManyArgs, 'select' | 'include'>): void {
  for (const below of Object.values({ ...select, ...include })) {
    // A page is read with one entry more.
    const isLarge =
      typeof below === 'object' && below !== null && 'take' in below && Number(below.take) > MAX_PAGE_BELOW + 1
    if (isLarge)
      throw new ServiceError('invalid_request', {
        field: 'first',
        rule: `of a list below payments must be 1 to ${MAX_PAGE_BELOW} in a page of payments`,
      })
  }
}

/** PostgreSQL knows no year 0. */
function requireKnownYear(field: 'createdFrom' | 'createdTo', date: Date | null | undefined): void {
  if (date && date.getUTCFullYear() < 1) throw new ServiceError('invalid_request', { field, rule: 'is before year 1' })
}

const matching = ({ status, reference, createdFrom, createdTo }: Filter): Prisma.PaymentIntentWhereInput => ({
  ...(status && { status: { in: status } }),
  ...(typeof reference === 'string' && { reference }),
  createdAt: { ...(createdFrom && { gte: createdFrom }), ...(createdTo && { lt: createdTo }) },
})

/** The rows on one side of a position, in the order of (created_at, id). */
function beyond(side: 'lt' | 'gt', position: Position | undefined): Prisma.PaymentIntentWhereInput {
  if (position === undefined) return {}
  const { createdAt, id } = position
  return { OR: [{ createdAt: { [side]: createdAt } }, { createdAt, id: { [side]: id } }] }
}

function positionOf(position: string): Position {
  const [createdAt = '', id = ''] = position.split(' ')
  return { createdAt: new Date(createdAt), id }
}
