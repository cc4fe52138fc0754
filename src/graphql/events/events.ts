// The event log of a business: the oldest event first, in pages, and one event by its id.
import type { Tenant } from '#core/accounts/account.ts'
import type { EventPosition, LogFilter, LoggedEvent, StoredEvent, WebhookEnvelope } from '#core/events/envelope.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { businessOf, type Context, requireStill, uncountedBusinessOf } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { countsAs } from '#graphql/documents/cost.ts'
import { connectionNames, connectionOf, inSteps, PAGE_SIZES, requirePage } from '#graphql/page.ts'
import { holdersOfFeed } from '#graphql/payments/live/streams.ts'
import { follow } from '#graphql/payments/live/subscriptions.ts'
import { requireRange } from '#graphql/payments/payment-page.ts'

/** What the body of a webhook costs in fields: about those of a payment without its longest lists. */
const FIELDS_OF_DATA = 60

const WebhookEventAccount = builder.objectRef<WebhookEnvelope['account']>('WebhookEventAccount').implement({
  description: 'The account that an event is about: the business, or a seller of the marketplace.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the account.' }),
    name: t.exposeString('name', { description: 'Its present name.' }),
    isSeller: t.exposeBoolean('is_seller', { description: 'Whether it is a seller of the marketplace.' }),
    externalId: t.exposeString('external_id', {
      nullable: true,
      description: 'The id that the marketplace gave the seller. Null for other accounts.',
    }),
  }),
})

type Shown = { readonly body: WebhookEnvelope; readonly event: Pick<LoggedEvent, 'createdAt' | 'version'> }

export const WebhookEvent = builder.objectRef<Shown>('WebhookEvent').implement({
  description: 'An event of the log, with the fields that the body of its webhook has.',
  fields: (t) => ({
    id: t.field({
      type: 'UUID',
      description: 'The id of the event. The header `webhook-id` carries it.',
      resolve: ({ body }) => body.id,
    }),
    type: t.string({ description: 'The type, such as `intent.swept`.', resolve: ({ body }) => body.type }),
    timestamp: t.field({
      type: 'DateTimeISO',
      description: 'The time of the event.',
      resolve: ({ event }) => event.createdAt,
    }),
    apiVersion: t.string({
      description: 'The version of the shape of `data`.',
      resolve: ({ body }) => body.api_version,
    }),
    livemode: t.boolean({ description: 'False for test accounts.', resolve: ({ body }) => body.livemode }),
    account: t.field({
      type: WebhookEventAccount,
      description: 'The account that the event is about.',
      resolve: ({ body }) => body.account,
    }),
    version: t.int({
      description:
        'The version of the payment, subscription or charge after the event. It only grows: ignore an event whose version is ' +
        'not above the version that you have.',
      resolve: ({ event }) => event.version,
    }),
    data: t.field({
      type: 'JSONObject',
      description: 'The `data` of the webhook: the payment, subscription or charge in its state after the event.',
      extensions: countsAs(FIELDS_OF_DATA),
      resolve: ({ body }) => body.data,
    }),
  }),
})

builder.queryField('events', (t) =>
  t.connection(
    {
      type: WebhookEvent,
      nullable: true,
      description:
        'The event log of the business, the oldest event first: every event that webhooks can deliver to it, also without an ' +
        'endpoint, and of types that no endpoint chose. The log of a marketplace has the events of its sellers. Needs the scopes ' +
        '`payments` and `subscriptions-view`. To find newer events later, ask again after the last cursor: no event is added ' +
        'before it. An empty page has no cursor, so keep the one that you have. Events are kept for 60 days, and longer while a ' +
        'delivery of them is kept. A cursor does not expire: when the events after it are deleted, the page begins with the ' +
        `oldest event that is kept. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        type: t.arg({ type: 'Text', description: 'Only events of this type, such as `intent.swept`.' }),
        from: t.arg({ type: 'DateTimeISO', description: 'Only events at this time or later.' }),
        to: t.arg({ type: 'DateTimeISO', description: 'Only events before this time.' }),
        sellerId: t.arg.string({ description: 'Only events about this seller of the marketplace.' }),
        subscriptionId: t.arg.string({ description: 'Only events of this subscription and of its charges.' }),
      },
      resolve: async (
        _root,
        { type = null, from = null, to = null, sellerId = null, subscriptionId = null, ...args },
        context,
      ) => {
        const tenant = await readerOf(context)
        requirePage(args)
        requireRange(from, to)
        const filter = { type, from, to, sellerId, subscriptionId }
        const { positionOf, toCursor } = positionsOf(context, tenant, filter)
        const { edges, ...connection } = await connectionOf(args, toCursor, ({ after, before, limit, inverted }) =>
          context.services.eventLog.page(tenant, {
            after: positionOf('after', after),
            before: positionOf('before', before),
            ...filter,
            order: inverted ? 'desc' : 'asc',
            limit,
          }),
        )
        return {
          ...connection,
          edges: inSteps(edges).map(async (step) => {
            const edge = await step
            return {
              node: shown(edge.node, context),
              get cursor() {
                return edge.cursor
              },
            }
          }),
        }
      },
    },
    ...connectionNames('WebhookEvent'),
  ),
)

builder.queryField('event', (t) =>
  t.field({
    type: WebhookEvent,
    nullable: true,
    description:
      'Finds an event of the log of the business by its id. Needs the scopes `payments` and `subscriptions-view`. ' +
      REFUSED,
    // Any string, because a text that is no id gets the answer of an id that no event has.
    args: { id: t.arg.string({ required: true, description: 'The id of the event, as webhooks show it.' }) },
    resolve: async (_root, { id }, context) =>
      shown(await context.services.eventLog.find(await readerOf(context), id), context),
  }),
)

const AddedEvent = builder.objectRef<LoggedEvent>('AddedEvent').implement({
  description: 'An event that was added to the log.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The place after the event, for `after` of `eventAdded` and of `events`. Opaque.',
      resolve: (event, _args, context) => positionsOf(context, uncountedReaderOf(context), ALL).toCursor(event),
    }),
    event: t.field({
      type: WebhookEvent,
      description: 'The event.',
      resolve: (event, _args, context) => shown(event, context),
    }),
  }),
})

builder.subscriptionField('eventAdded', (t) =>
  t.field({
    type: AddedEvent,
    description:
      'Every event of the log of the business, in its order: first the events since the cursor, then each new one. To miss ' +
      'nothing after a lost connection, subscribe again after the last cursor. Needs the scopes `payments-view` and ' +
      '`subscriptions-view`.',
    args: {
      after: t.arg.string({
        description:
          'Shows events after this cursor, of an event here or of `events` without a type. Events from now on are shown when it is left out.',
      }),
    },
    subscribe: async (_root, { after }, context) => {
      const tenant = await readerOf(context)
      if (typeof after === 'string') requirePage({ after })
      const start = positionsOf(context, tenant, ALL).positionOf('after', after ?? undefined)
      const place = start ?? (await context.liveLog.present())
      return follow(context, {
        open: (signal) => context.liveLog.follow(tenant, place, signal),
        holders: holdersOfFeed(tenant.accountId),
        stillAllowed: () => requireStill(context, ...READ_LOG),
      })
    },
    resolve: (event) => event,
  }),
)

/** Returns the business that reads its log, which has events of payments and of subscriptions. */
const readerOf = (context: Context): Promise<Tenant> => businessOf(context, ...READ_LOG)

/** Does the same without counting a call. */
const uncountedReaderOf = (context: Pick<Context, 'principal'>): Tenant => uncountedBusinessOf(context, ...READ_LOG)

const READ_LOG = ['payments-view', 'subscriptions-view'] as const

export const shown = (
  event: StoredEvent & Pick<LoggedEvent, 'version'>,
  { services }: Pick<Context, 'services'>,
): Shown => ({ event, body: services.eventLog.bodyOf(event) })

const ALL: LogFilter = { type: null, from: null, to: null, sellerId: null, subscriptionId: null }

/** Reads and makes the cursors of a business, for the events of a filter. */
function positionsOf({ cursors }: Pick<Context, 'cursors'>, { accountId, network }: Tenant, filter: LogFilter) {
  const scope = JSON.stringify(['events', network, accountId, filter])
  return {
    toCursor: ({ position: { transaction, sequence } }: LoggedEvent): string =>
      cursors.seal(scope, `${transaction} ${sequence}`),
    /** Throws `invalid_request` on a cursor of another list or caller. */
    positionOf(field: 'after' | 'before', cursor: string | undefined): EventPosition | null {
      if (cursor === undefined) return null
      const [transaction = '', sequence = ''] = openCursor(cursors, { scope, field, cursor }).split(' ')
      return { transaction: BigInt(transaction), sequence: BigInt(sequence) }
    },
  }
}
