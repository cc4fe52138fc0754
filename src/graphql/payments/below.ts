// The records below a payment, in pages: money that arrived, money that was sent out, and events. For the business only.
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { INTENT_UPDATED } from '#core/payments/change.ts'
import { builder } from '#graphql/builder.ts'
import { connectionNames, MAX_PAGE_BELOW, PAGE_SIZES } from '#graphql/page.ts'
import { NODES, orderOf, type Place, pageOf, queryOf, type Side } from '#graphql/pages-below.ts'
import {
  DEPOSIT_COLUMNS,
  Deposit,
  EVENT_COLUMNS,
  IntentEvent,
  IntentTransfer,
  TRANSFER_COLUMNS,
} from '#graphql/payments/history.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'

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

const BELOW_SIZES = `${PAGE_SIZES} In a page of payments it has at most ${MAX_PAGE_BELOW}.`

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
  unacceptedTokens: t.relation('unacceptedTokens', {
    description: 'Tokens at the deposit address that are not allowed, the latest first: at most 21 entries.',
    query: { orderBy: [{ lastSeenAt: 'desc' }, { mint: 'asc' }] },
  }),
  events: t.connection(
    {
      type: IntentEvent,
      description: `The events of the payment, the newest first. ${BELOW_SIZES}`,
      select: (args, context, nested) => {
        const { inverted, ...query } = queryOf('events', args, context, beyondEvent)
        const orderBy = ORDERS.events(orderOf(inverted))
        const where = { ...query.where, type: { not: INTENT_UPDATED } }
        return { events: nested({ ...query, where, orderBy, select: EVENT_COLUMNS }, NODES) }
      },
      resolve: ({ id, events }, args, context) =>
        pageOf('events', { id, rows: events, args }, context, (row) => [row.sequence.toString()]),
    },
    ...connectionNames('IntentEvent'),
  ),
}))
