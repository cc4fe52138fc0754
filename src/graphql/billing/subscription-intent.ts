// A checkout of a subscription, as its business sees it. Spec: "Subscription resources".
import { type SubscriptionIntentStatus, subscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'

export const SubscriptionIntentStatusEnum = builder.enumType('SubscriptionIntentStatus', {
  description: 'The status of a checkout.',
  values: {
    open: { description: 'A subscriber can complete it.' },
    completed: { description: 'It led to a subscription.' },
    canceled: { description: 'The business canceled it.' },
    expired: { description: 'Its time is over.' },
  } satisfies Record<SubscriptionIntentStatus, object>,
})

guardBillingNode('SubscriptionIntent')

export const SubscriptionIntentNode = builder.prismaNode('SubscriptionIntent', {
  description: 'One checkout of a tier. A subscriber opens it by its token and completes it with a wallet.',
  id: { field: 'id', description: 'The global id of the checkout, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the checkout, as REST shows it.' }),
    tier: t.relation('tier', { description: 'The tier that it sells.' }),
    tierId: t.expose('tierId', { type: 'UUID', description: 'The `uuid` of the tier that it sells.' }),
    status: t.field({
      type: SubscriptionIntentStatusEnum,
      description: 'Its status at this moment.',
      resolve: (intent, _args, { services }) => subscriptionIntentStatus(intent, services.billing.now()),
    }),
    subscriberWallet: t.expose('subscriberWallet', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that may complete it when it is pinned, else the last that began. Null before.',
    }),
    walletPinned: t.exposeBoolean('walletPinned', {
      description: 'Whether the business gave the wallet, so that no other wallet can complete it.',
    }),
    successUrl: t.exposeString('successUrl', {
      nullable: true,
      description: 'Where the subscriber goes after completing it.',
    }),
    cancelUrl: t.exposeString('cancelUrl', {
      nullable: true,
      description: 'Where the subscriber goes instead of completing it.',
    }),
    subscriptionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The `uuid` of the subscription. Null until it is completed.',
      resolve: ({ status, subscriptionId }) => (status === 'completed' ? subscriptionId : null),
    }),
    couponId: t.expose('couponId', {
      type: 'UUID',
      nullable: true,
      description: 'The `uuid` of the coupon that it uses: the business gave it, or it was entered on the page.',
    }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: 'Data of the business, as it was given.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTimeISO',
      description: 'The time at which it expires when it is not completed.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was completed.',
    }),
    canceledAt: t.expose('canceledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was canceled.',
    }),
  }),
})
