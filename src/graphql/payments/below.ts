// The records below a payment, in pages: money that arrived, money that was sent out, and events. For the business only.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/builder.ts'
import type { Context } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import {
  askedPage,
  connectionNames,
  connectionOf,
  MAX_PAGE_BELOW,
  PAGE_SIZES,
  type PageArguments,
  requirePage,
} from '#graphql/page.ts'
import {
  DEPOSIT_COLUMNS,
  Deposit,
  EVENT_COLUMNS,
  IntentEvent,
  IntentTransfer,
  TRANSFER_COLUMNS,
} from '#graphql/payments/history.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'

type Name = 'deposits' | 'transfers' | 'events'
type Side = 'lt' | 'gt'
/** Words of a row's place in the order of its list. */
type Place = readonly string[]

/** What Prisma reads for a page; nothing for arguments that the resolver refuses. */
type PageQuery<Where> = { readonly take: number; readonly where?: { readonly AND: Where[] } }

/** The newest of each first. */
const ORDERS = {
  deposits: (order: Prisma.SortOrder) => [{ seenAt: order }, { id: order }],
  transfers: (order: Prisma.SortOrder) => [{ createdAt: order }, { id: order }],
  events: (order: Prisma.SortOrder) => [{ sequence: order }],
}

const beyondDeposit = (side: Side, [at = '', id = '']: Place): Prisma.DepositWhereInput => {
  const seenAt = new Date(at)
  return { OR: [{ seenAt: { [side]: seenAt } }, { seenAt, id: { [side]: id } }] }
}
const beyondTransfer = (side: Side, [at = '', id = '']: Place): Prisma.TransferWhereInput => {
  const createdAt = new Date(at)
  return { OR: [{ createdAt: { [side]: createdAt } }, { createdAt, id: { [side]: id } }] }
}
const beyondEvent = (side: Side, [sequence = '']: Place): Prisma.EventWhereInput => ({
  sequence: { [side]: BigInt(sequence) },
})

const NODES = ['edges', 'node']
const BELOW_SIZES = `${PAGE_SIZES} In a page of payments it has at most ${MAX_PAGE_BELOW}.`

/** A cursor serves one list of one caller. It names its payment, which is not known when a page of payments is read. */
function scopeOf(name: Name, { principal }: Context): string {
  if (principal.kind !== 'business') throw new ServiceError('unauthenticated')
  return JSON.stringify([name, principal.tenant.network, principal.tenant.accountId])
}

type Cursor = 'after' | 'before'
type Opened = { readonly intentId: string; readonly place: Place }

function opened(name: Name, context: Context, field: Cursor, cursor: string): Opened {
  const text = openCursor(context.cursors, { scope: scopeOf(name, context), field, cursor })
  const [intentId = '', ...place] = text.split(' ')
  return { intentId, place }
}

/** Refuses what cannot be read, with `invalid_request`: also a cursor of another payment. */
function requireOwn(name: Name, intentId: string, args: PageArguments, context: Context): void {
  requirePage(args)
  for (const field of ['after', 'before'] as const) {
    const cursor = args[field]
    if (typeof cursor === 'string' && opened(name, context, field, cursor).intentId !== intentId)
      throw new ServiceError('invalid_request', { field })
  }
}

function queryOf<Where>(
  name: Name,
  args: PageArguments,
  context: Context,
  beyond: (side: Side, place: Place) => Where,
): PageQuery<Where> & { inverted: boolean } {
  try {
    requirePage(args)
    const { after, before, limit, inverted } = askedPage(args)
    const where = (side: Side, field: Cursor, cursor: string | undefined) =>
      cursor === undefined ? [] : [beyond(side, opened(name, context, field, cursor).place)]
    return { take: limit, where: { AND: [...where('lt', 'after', after), ...where('gt', 'before', before)] }, inverted }
  } catch (error) {
    // The resolver throws it, at its own place in the reply.
    if (error instanceof ServiceError) return { take: 0, inverted: false }
    throw error
  }
}

const orderOf = (inverted: boolean): Prisma.SortOrder => (inverted ? 'asc' : 'desc')

/** Makes the connection of rows that were read with the payment. */
function pageOf<Row>(
  name: Name,
  { id, rows, args }: { readonly id: string; readonly rows: readonly Row[]; readonly args: PageArguments },
  context: Context,
  placeOf: (row: Row) => Place,
) {
  requireOwn(name, id, args, context)
  const scope = scopeOf(name, context)
  return connectionOf(
    args,
    (row: Row) => context.cursors.seal(scope, [id, ...placeOf(row)].join(' ')),
    () => rows,
  )
}

builder.prismaObjectFields(PaymentIntentNode, (t) => ({
  deposits: t.connection(
    {
      type: Deposit,
      description: `Money that arrived at the deposit address, the newest first. ${BELOW_SIZES}`,
      select: (args, context, nested) => {
        const { inverted, ...query } = queryOf('deposits', args, context, beyondDeposit)
        const orderBy = ORDERS.deposits(orderOf(inverted))
        return { deposits: nested({ ...query, orderBy, select: DEPOSIT_COLUMNS }, NODES) }
      },
      resolve: ({ id, deposits }, args, context) =>
        pageOf('deposits', { id, rows: deposits, args }, context, (row) => [row.seenAt.toISOString(), row.id]),
    },
    ...connectionNames('Deposit'),
  ),
  transfers: t.connection(
    {
      type: IntentTransfer,
      description: `Money that was sent out of the deposit address, the newest first. ${BELOW_SIZES}`,
      select: (args, context, nested) => {
        const { inverted, ...query } = queryOf('transfers', args, context, beyondTransfer)
        const orderBy = ORDERS.transfers(orderOf(inverted))
        return { transfers: nested({ ...query, orderBy, select: TRANSFER_COLUMNS }, NODES) }
      },
      resolve: ({ id, transfers }, args, context) =>
        pageOf('transfers', { id, rows: transfers, args }, context, (row) => [row.createdAt.toISOString(), row.id]),
    },
    ...connectionNames('IntentTransfer'),
  ),
  events: t.connection(
    {
      type: IntentEvent,
      description: `The events of the payment, the newest first. ${BELOW_SIZES}`,
      select: (args, context, nested) => {
        const { inverted, ...query } = queryOf('events', args, context, beyondEvent)
        const orderBy = ORDERS.events(orderOf(inverted))
        return { events: nested({ ...query, orderBy, select: EVENT_COLUMNS }, NODES) }
      },
      resolve: ({ id, events }, args, context) =>
        pageOf('events', { id, rows: events, args }, context, (row) => [row.sequence.toString()]),
    },
    ...connectionNames('IntentEvent'),
  ),
}))
