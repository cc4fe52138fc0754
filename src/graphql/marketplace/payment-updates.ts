// The payments of a marketplace as they change: a stream that continues after a cursor, and misses nothing.
import { ServiceError } from '#core/errors.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { type Context, marketplaceOf, uncountedMarketplaceOf } from '#graphql/context.ts'
import { openCursor } from '#graphql/cursor.ts'
import { holdersOfFeed } from '#graphql/payments/live/streams.ts'
import { follow } from '#graphql/payments/live/subscriptions.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import type { FeedEvent, FeedPosition } from '#ports/live.ts'
import type { MarketplaceCaller } from '#services/marketplace/marketplace-services.ts'

type Update = FeedEvent & { readonly cursor: string }

const MarketplacePaymentUpdate = builder.objectRef<Update>('MarketplacePaymentUpdate').implement({
  description: 'A change of a payment that a marketplace takes for one of its sellers.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'The place after this change. A subscription after it continues with the next change. Opaque.',
    }),
    id: t.expose('id', {
      type: 'UUID',
      description: 'The id of the change. The header `webhook-id` of an event carries it.',
    }),
    type: t.exposeString('type', {
      description: 'The type of the event, such as `intent.swept`, and `intent.updated` for a change without an event.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of the change.' }),
    payment: t.expose('payment', { type: PaymentIntentNode, description: 'The payment after the change.' }),
  }),
})

builder.queryField('marketplacePaymentsCursor', (t) =>
  t.string({
    nullable: true,
    description:
      'The present place in the changes of the payments of the marketplace. Every change after this moment follows it: read it ' +
      `before the payments, and then subscribe to \`marketplacePaymentsUpdated\` after it. ${REFUSED}`,
    resolve: async (_root, _args, context) => {
      const caller = await marketplaceOf(context, 'marketplace-view')
      return seal(context, caller, await context.feed.present())
    },
  }),
)

builder.subscriptionField('marketplacePaymentsUpdated', (t) =>
  t.field({
    type: MarketplacePaymentUpdate,
    description:
      'Every change of a payment of the marketplace for one of its sellers, in one order: first the changes since the cursor, ' +
      'then each new one. A cursor works for 59 days.',
    args: {
      after: t.arg.string({
        description: 'Shows changes after this cursor. Changes from now on are shown when it is left out.',
      }),
    },
    subscribe: async (_root, { after }, context) => {
      const caller = await marketplaceOf(context, 'marketplace-view')
      const start = typeof after === 'string' ? opened(context, caller, after) : await context.feed.present()
      return follow(context, {
        open: (signal) => context.feed.follow(caller.tenant, start, signal),
        holders: holdersOfFeed(caller.tenant.accountId),
        stillAllowed: async () => {
          const principal = await context.identify(context.sent, context.address)
          uncountedMarketplaceOf({ ...context, principal }, 'marketplace-view')
        },
      })
    },
    resolve: (event, _args, context) => ({
      ...event,
      cursor: seal(context, uncountedMarketplaceOf(context, 'marketplace-view'), event.position),
    }),
  }),
)

const scopeOf = ({ tenant }: MarketplaceCaller): string =>
  JSON.stringify(['marketplacePaymentsUpdated', tenant.network, tenant.accountId])

const seal = ({ cursors }: Context, caller: MarketplaceCaller, { transaction, sequence, at }: FeedPosition): string =>
  cursors.seal(scopeOf(caller), `${transaction} ${sequence} ${at.toISOString()}`)

/** Throws `invalid_request` on a cursor of another list or caller, and on one whose changes may be deleted. */
function opened({ cursors, feed }: Context, caller: MarketplaceCaller, cursor: string): FeedPosition {
  const text = openCursor(cursors, { scope: scopeOf(caller), field: 'after', cursor })
  const [transaction = '', sequence = '', at = ''] = text.split(' ')
  const position = { transaction: BigInt(transaction), sequence: BigInt(sequence), at: new Date(at) }
  if (!feed.reaches(position))
    throw new ServiceError('invalid_request', {
      field: 'after',
      rule: 'is older than 59 days: take a new cursor, and list the payments again',
    })
  return position
}
