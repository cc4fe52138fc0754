// A subscription of a wallet to a tier. Spec: "Subscription resources".

import type { Discount } from '#core/billing/coupon.ts'
import { remainingPeriods } from '#core/billing/entitlement.ts'
import { isBillingStopped, isManageable } from '#core/billing/payload.ts'
import { remainingAmount } from '#core/billing/room.ts'
import type { BillingSubscription, Party } from '#core/billing/subscription.ts'
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

type Discounted = Pick<BillingSubscription, 'couponId' | 'discountedAmount' | 'discountedPeriods'> & {
  readonly terms: Discount
}

const SubscriptionDiscount = builder.objectRef<Discounted>('SubscriptionDiscount').implement({
  description: 'The discount of a subscription, as its coupon was when the checkout was completed.',
  fields: (t) => ({
    couponId: t.expose('couponId', { type: 'UUID', nullable: true, description: 'The `uuid` of the coupon.' }),
    code: t.string({ description: 'The code of the coupon, in capital letters.', resolve: ({ terms }) => terms.code }),
    percentOff: t.int({
      nullable: true,
      description: 'What it takes off the price of a period, in percent. Null for an amount.',
      resolve: ({ terms }) => terms.percentOff,
    }),
    amountOffUsdCents: t.field({
      type: 'UsdCents',
      nullable: true,
      description: 'What it takes off the price of a period. Null for a percentage.',
      resolve: ({ terms }) => terms.amountOffUsdCents,
    }),
    amount: t.expose('discountedAmount', {
      type: 'BaseUnits',
      description: 'The charge of one period with the discount.',
    }),
    periodsLeft: t.exposeInt('discountedPeriods', {
      nullable: true,
      description: 'How many more charges have the discount. Null for all; 0 when it is used up.',
    }),
  }),
})

export const SubscriptionState = builder.interfaceRef<BillingSubscription>('SubscriptionState').implement({
  description: 'A subscription as its business and its subscriber see it. Amounts are in base units of the mint.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the subscription, as REST shows it.' }),
    tierId: t.expose('tierId', { type: 'UUID', description: 'The `uuid` of its tier.' }),
    status: t.expose('status', { type: SubscriptionStatusEnum, description: 'Its state.' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change: of two states, the one with the larger version is newer.',
    }),
    subscriberWallet: t.expose('subscriberWallet', {
      type: 'SolanaAddress',
      description: 'The wallet of the subscriber.',
    }),
    mint: t.expose('mint', { type: 'Mint', description: 'The token in which it is charged.' }),
    unitAmount: t.expose('unitAmount', {
      type: 'BaseUnits',
      description: 'The charge of one period without a discount.',
    }),
    discount: t.field({
      type: SubscriptionDiscount,
      nullable: true,
      description: 'The discount of its coupon. Null without one.',
      resolve: ({ discount, ...subscription }) => (discount === null ? null : { ...subscription, terms: discount }),
    }),
    periods: t.exposeInt('periods', { description: 'The periods of the newest authorization.' }),
    authorizedAmount: t.expose('authorizedAmount', {
      type: 'BaseUnits',
      description: 'What the subscriber authorized for it.',
    }),
    spentAmount: t.expose('spentAmount', { type: 'BaseUnits', description: 'What was charged of that.' }),
    remainingAmount: t.field({
      type: 'BaseUnits',
      description: 'What can still be charged of that.',
      resolve: (subscription) => remainingAmount(subscription),
    }),
    remainingPeriods: t.int({
      description: 'How many more charges that pays, an unpaid one included.',
      resolve: (subscription) => remainingPeriods(subscription),
    }),
    delegationEpoch: t.exposeInt('delegationEpoch', { description: 'The epoch of the delegation that covers it.' }),
    periodIndex: t.exposeInt('periodIndex', { description: 'The current period, from 0. A trial is period 0.' }),
    currentPeriodStart: t.expose('currentPeriodStart', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The begin of the current period. Null before the first charge is final, when there is no trial.',
    }),
    currentPeriodEnd: t.expose('currentPeriodEnd', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The end of the current period.',
    }),
    trialEndsAt: t.expose('trialEndsAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which its trial ends, or has ended, and the first charge is due. Null without a trial.',
    }),
    cancelAtPeriodEnd: t.exposeBoolean('cancelAtPeriodEnd', {
      description: 'Whether it ends with the current period.',
    }),
    stoppedBy: t.expose('stoppedBy', {
      type: SubscriptionPartyEnum,
      nullable: true,
      description:
        'Who paused or canceled it last. Null while it is neither, and when it was paused for a lack of payment.',
    }),
    manageable: t.boolean({
      description: 'Whether it can be changed.',
      resolve: (subscription) => isManageable(subscription),
    }),
    billingStopped: t.boolean({
      description: 'Whether nothing is charged until a person acts.',
      resolve: (subscription) => isBillingStopped(subscription),
    }),
    nextChargeAt: t.expose('nextChargeAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the next charge. Null while billing is stopped.',
    }),
    approveSignature: t.expose('approveSignature', {
      type: 'Signature',
      nullable: true,
      description: 'The approve of the newest authorization. Null when the subscriber signed a text.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTimeISO',
      description: 'The time at which the checkout was completed.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
    activatedAt: t.expose('activatedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which the first charge became final.',
    }),
    canceledAt: t.expose('canceledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time at which it was canceled, also when it ends later.',
    }),
    endedAt: t.expose('endedAt', { type: 'DateTimeISO', nullable: true, description: 'The time of its end.' }),
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
    tier: t.relation('tier', { description: 'The tier that it is charged for.' }),
    delegation: t.field({
      type: SubscriptionDelegation,
      nullable: true,
      description: 'The allowance that it is charged from.',
      resolve: (subscription, _args, { services }) => services.subscriptions.delegationOf(subscription),
    }),
    metadata: t.expose('metadata', { type: 'JSONObject', description: 'Data of the business, from its checkout.' }),
  }),
})

export const PortalSubscription = builder.objectRef<BillingSubscription>('PortalSubscription').implement({
  description: 'A subscription as its subscriber sees it: without the data of the business.',
  interfaces: [SubscriptionState],
})
