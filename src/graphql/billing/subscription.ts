// A subscription of a wallet to a tier. Spec: "Subscription resources".
import { remainingAmount } from '#core/billing/room.ts'
import type { BillingSubscription, Party } from '#core/billing/subscription.ts'
import { isBillingStopped, isManageable } from '#core/billing/views.ts'
import { SubscriptionDelegation } from '#graphql/billing/delegation.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'
import { SUBSCRIPTION_STATUS_VALUES } from '#graphql/enum-values.ts'

export const SubscriptionStatusEnum = builder.enumType('BillingSubscriptionStatus', {
  description: 'The state of a subscription.',
  values: SUBSCRIPTION_STATUS_VALUES,
})

const SubscriptionPartyEnum = builder.enumType('SubscriptionParty', {
  description: 'Who has stopped the billing of a subscription.',
  values: {
    business: { description: 'The business, which can let it go on.' },
    subscriber: { description: 'The subscriber. Only the subscriber lets it go on.' },
  } satisfies Record<Party, object>,
})

export const SubscriptionState = builder.interfaceRef<BillingSubscription>('SubscriptionState').implement({
  description: 'A subscription as its business and its subscriber see it. Amounts are in base units of the mint.',
  fields: (t) => ({
    uuid: t.field({
      type: 'UUID',
      description: 'The id of the subscription, as REST shows it.',
      resolve: ({ id }) => id,
    }),
    tierId: t.field({ type: 'UUID', description: 'The `uuid` of its tier.', resolve: ({ tierId }) => tierId }),
    status: t.field({ type: SubscriptionStatusEnum, description: 'Its state.', resolve: ({ status }) => status }),
    version: t.int({
      description: 'Grows with every change: of two states, the one with the larger version is newer.',
      resolve: ({ version }) => version,
    }),
    subscriberWallet: t.field({
      type: 'SolanaAddress',
      description: 'The wallet of the subscriber.',
      resolve: ({ subscriberWallet }) => subscriberWallet,
    }),
    mint: t.field({ type: 'Mint', description: 'The token in which it is charged.', resolve: ({ mint }) => mint }),
    unitAmount: t.field({
      type: 'BaseUnits',
      description: 'The charge of one period.',
      resolve: ({ unitAmount }) => unitAmount,
    }),
    periods: t.int({ description: 'The periods of the newest authorization.', resolve: ({ periods }) => periods }),
    authorizedAmount: t.field({
      type: 'BaseUnits',
      description: 'What the subscriber authorized for it.',
      resolve: ({ authorizedAmount }) => authorizedAmount,
    }),
    spentAmount: t.field({
      type: 'BaseUnits',
      description: 'What was charged of that.',
      resolve: ({ spentAmount }) => spentAmount,
    }),
    remainingAmount: t.field({
      type: 'BaseUnits',
      description: 'What can still be charged of that.',
      resolve: (subscription) => remainingAmount(subscription),
    }),
    delegationEpoch: t.int({
      description: 'The epoch of the delegation that covers it.',
      resolve: ({ delegationEpoch }) => delegationEpoch,
    }),
    periodIndex: t.int({ description: 'The current period, from 0.', resolve: ({ periodIndex }) => periodIndex }),
    currentPeriodStart: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The begin of the current period. Null before the first charge is final.',
      resolve: ({ currentPeriodStart }) => currentPeriodStart,
    }),
    currentPeriodEnd: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The end of the current period.',
      resolve: ({ currentPeriodEnd }) => currentPeriodEnd,
    }),
    cancelAtPeriodEnd: t.boolean({
      description: 'Whether it ends with the current period.',
      resolve: ({ cancelAtPeriodEnd }) => cancelAtPeriodEnd,
    }),
    stoppedBy: t.field({
      type: SubscriptionPartyEnum,
      nullable: true,
      description:
        'Who paused or canceled it last. Null while it is neither, and when it was paused for a lack of payment.',
      resolve: ({ stoppedBy }) => stoppedBy,
    }),
    manageable: t.boolean({
      description: 'Whether it can be changed.',
      resolve: (subscription) => isManageable(subscription),
    }),
    billingStopped: t.boolean({
      description: 'Whether nothing is charged until a person acts.',
      resolve: (subscription) => isBillingStopped(subscription),
    }),
    nextChargeAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the next charge. Null while billing is stopped.',
      resolve: ({ nextChargeAt }) => nextChargeAt,
    }),
    approveSignature: t.field({
      type: 'Signature',
      nullable: true,
      description: 'The approve of the newest authorization. Null when the subscriber signed a text.',
      resolve: ({ approveSignature }) => approveSignature,
    }),
    createdAt: t.field({
      type: 'DateTimeISO',
      description: 'The time at which the checkout was completed.',
      resolve: ({ createdAt }) => createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTimeISO',
      description: 'The time of the last change.',
      resolve: ({ updatedAt }) => updatedAt,
    }),
    activatedAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which the first charge became final.',
      resolve: ({ activatedAt }) => activatedAt,
    }),
    canceledAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was canceled, also when it ends later.',
      resolve: ({ canceledAt }) => canceledAt,
    }),
    endedAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of its end.',
      resolve: ({ endedAt }) => endedAt,
    }),
  }),
})

guardBillingNode('BillingSubscription')

export const BillingSubscriptionNode = builder.prismaNode('BillingSubscription', {
  description: 'A subscription of a wallet to a tier. Amounts are in base units of the mint.',
  interfaces: [SubscriptionState],
  id: { field: 'id', description: 'The global id of the subscription, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    delegation: t.field({
      type: SubscriptionDelegation,
      nullable: true,
      description: 'The allowance that it is charged from.',
      resolve: (subscription, _args, { services }) => services.subscriptions.delegationOf(subscription),
    }),
    metadata: t.field({
      type: 'JSONObject',
      description: 'Data of the business, from its checkout.',
      resolve: ({ metadata }) => metadata,
    }),
  }),
})

export const PortalSubscription = builder.objectRef<BillingSubscription>('PortalSubscription').implement({
  description: 'A subscription as its subscriber sees it: without the data of the business.',
  interfaces: [SubscriptionState],
})
