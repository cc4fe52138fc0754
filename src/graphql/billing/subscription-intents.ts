// The checkouts of a business, the newest first, in pages.
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import { EXPIRES_IN, type SubscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import { newestFirst } from '#graphql/billing/list.ts'
import { merchantOf, ON_BEHALF_OF } from '#graphql/billing/merchant.ts'
import { SubscriptionIntentNode, SubscriptionIntentStatusEnum } from '#graphql/billing/subscription-intent.ts'
import { builder, REFUSED } from '#graphql/builder.ts'
import { connectionNames, PAGE_SIZES } from '#graphql/page.ts'
import { requireTierId } from '#services/billing/tier-id.ts'

const SubscriptionIntentFilter = builder.inputType('SubscriptionIntentFilter', {
  description: 'Which checkouts to list: those that match every field that is given.',
  fields: (t) => ({
    status: t.field({ type: SubscriptionIntentStatusEnum, description: 'With this status at this moment.' }),
    tierId: t.string({ description: 'For the tier with this `uuid`.' }),
  }),
})

builder.queryField('subscriptionIntents', (t) =>
  t.connection(
    {
      type: SubscriptionIntentNode,
      nullable: true,
      description: `The checkouts of the business, the newest first. ${REFUSED} ${PAGE_SIZES}`,
      args: {
        filter: t.arg({ type: SubscriptionIntentFilter, description: 'Which checkouts to list. All when left out.' }),
        onBehalfOf: t.arg.string(ON_BEHALF_OF),
      },
      resolve: async (_root, { filter, onBehalfOf, ...args }, context, info) => {
        const merchant = await merchantOf(context, 'subscriptions-view', onBehalfOf)
        const { status = null, tierId = null } = filter ?? {}
        if (tierId !== null) requireTierId(tierId)
        const now = context.services.billing.now()
        const where = { AND: [tierId === null ? {} : { tierId }, status === null ? {} : WITH_STATUS[status](now)] }
        const query = await queryFromInfo({ context, info, typeName: 'SubscriptionIntent', path: ['edges', 'node'] })
        return await newestFirst(
          context,
          merchant,
          // Without the time: a cursor serves the pages that follow.
          { name: 'subscriptionIntents', filter: { status, tierId }, args },
          ({ sides, ...page }) =>
            context
              .reads(merchant.tenant)
              .subscriptionIntent.findMany({ ...query, ...page, where: { AND: [where, ...sides] } }),
        )
      },
    },
    ...connectionNames('SubscriptionIntent'),
  ),
)

/** An open checkout expires by time alone, so both are stored as open. */
const WITH_STATUS: Readonly<Record<SubscriptionIntentStatus, (now: Date) => Prisma.SubscriptionIntentWhereInput>> = {
  // None is open for longer than the maximum: the bound spares reading all that have expired.
  open: (now) => ({
    status: 'open',
    expiresAt: { gt: now },
    createdAt: { gt: new Date(now.getTime() - EXPIRES_IN.max * 1_000) },
  }),
  expired: (now) => ({ status: 'open', expiresAt: { lte: now } }),
  completed: () => ({ status: 'completed' }),
  canceled: () => ({ status: 'canceled' }),
}
