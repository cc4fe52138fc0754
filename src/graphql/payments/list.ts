// A business's intents, the newest first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import { type ResolveCursorConnectionArgs, resolveCursorConnection } from '@pothos/plugin-relay'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import { isBlank } from '#core/text.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf } from '#graphql/context.ts'
import { inSteps } from '#graphql/in-steps.ts'
import { NEWEST_IN_PAGE, PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { IntentStatusEnum } from '#graphql/payments/status.ts'

const DEFAULT_PAGE = 20
const MAX_PAGE = 100

const PaymentIntentFilter = builder.inputType('PaymentIntentFilter', {
  fields: (t) => ({
    status: t.field({ type: [IntentStatusEnum] }),
    reference: t.field({ type: 'Text' }),
    createdFrom: t.field({ type: 'DateTimeISO', description: 'Inclusive.' }),
    createdTo: t.field({ type: 'DateTimeISO', description: 'Exclusive.' }),
  }),
})

type Filter = typeof PaymentIntentFilter.$inferInput
type Position = { readonly createdAt: Date; readonly id: string }

builder.queryField('paymentIntents', (t) =>
  t.connection({
    type: PaymentIntentNode,
    description: 'The newest first. A page holds 20, at most 100.',
    args: { filter: t.arg({ type: PaymentIntentFilter }) },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const tenant = await businessOf(context)
      if (typeof args.last === 'number') requirePageSize('last', args.last)
      else requirePageSize('first', args.first ?? DEFAULT_PAGE)
      requireCursor(args.after)
      requireCursor(args.before)
      requireKnownYear('createdFrom', filter?.createdFrom)
      requireKnownYear('createdTo', filter?.createdTo)
      const scope = JSON.stringify(['paymentIntents', tenant.network, tenant.accountId, filter ?? null])
      const query = await queryFromInfo({ context, info, typeName: 'PaymentIntent', path: ['edges', 'node'] })
      const position = (cursor: string | undefined) =>
        cursor === undefined ? undefined : positionOf(context.cursors.open(scope, cursor))
      const toCursor = (row: Position) => context.cursors.seal(scope, `${row.createdAt.toISOString()} ${row.id}`)
      const page = ({ after, before, limit, inverted }: ResolveCursorConnectionArgs) => {
        const order = inverted ? 'asc' : 'desc'
        return context.reads(tenant).paymentIntent.findMany({
          ...briefly(query),
          where: { AND: [matching(filter ?? {}), beyond('lt', position(after)), beyond('gt', position(before))] },
          orderBy: [{ createdAt: order }, { id: order }],
          take: limit,
        })
      }
      const options = { args, defaultSize: DEFAULT_PAGE, maxSize: MAX_PAGE, toCursor }
      const connection = await resolveCursorConnection(options, page)
      return { ...connection, edges: inSteps(connection.edges) }
    },
  }),
)

type Query = Pick<Prisma.PaymentIntentFindManyArgs, 'select' | 'include'>

/** With fewer rows below each payment than the payment alone would have: a page multiplies them. */
function briefly({ select, include }: Query): Query {
  return { ...(select && { select: brief(select) }), ...(include && { include: brief(include) }) }
}

function brief<Selection extends object>(selection: Selection): Selection {
  const bounded = Object.entries(selection).map(([name, below]) => [
    name,
    typeof below === 'object' && below !== null && 'take' in below ? { ...below, take: NEWEST_IN_PAGE } : below,
  ])
  return Object.assign({}, selection, Object.fromEntries(bounded))
}

function requirePageSize(field: 'first' | 'last', size: number): void {
  if (size < 1 || size > MAX_PAGE)
    throw new ServiceError('invalid_request', { field, rule: `must be 1 to ${MAX_PAGE}` })
}

/** The plugin takes an empty cursor for none, and answers the first page again. */
function requireCursor(cursor: string | null | undefined): void {
  if (typeof cursor === 'string' && isBlank(cursor)) throw new ServiceError('invalid_request', { field: 'cursor' })
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
