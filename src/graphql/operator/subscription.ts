// Subscriptions of all businesses, with the allowance that each is charged from.
import type { Delegation } from '#core/billing/delegation.ts'
import { remainingAmount } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { DELEGATION_STATUS_VALUES, SUBSCRIPTION_STATUS_VALUES } from '#graphql/enum-values.ts'
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import { ChargeType } from '#graphql/operator/charge.ts'

export const SubscriptionStatusEnum = builder.enumType('BillingSubscriptionStatus', {
  description: 'The state of a subscription.',
  values: SUBSCRIPTION_STATUS_VALUES,
})

export const DelegationStatusEnum = builder.enumType('SubscriptionDelegationStatus', {
  description: 'Whether an allowance covers what is outstanding.',
  values: DELEGATION_STATUS_VALUES,
})

const DelegationType = builder.objectRef<Delegation>('SubscriptionDelegation').implement({
  description: 'What one token account of a wallet lets the service pull. Amounts are in base units of the mint.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the delegation.' }),
    status: t.expose('status', { type: DelegationStatusEnum, description: 'Whether it covers what is outstanding.' }),
    tokenAccount: t.expose('tokenAccount', { type: 'SolanaAddress', description: 'The token account of the wallet.' }),
    epoch: t.exposeInt('epoch', { description: 'The number of approves that became final.' }),
    authorizedTotal: t.expose('authorizedTotal', {
      type: 'BaseUnits',
      description: 'The amount of the newest approve that became final.',
    }),
    chainDelegate: t.expose('chainDelegate', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The delegate of the account when it was read last.',
    }),
    chainAllowance: t.expose('chainAllowance', {
      type: 'BaseUnits',
      description: 'The allowance of the account when it was read last.',
    }),
    chainCheckedAt: t.expose('chainCheckedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the last reading.',
    }),
  }),
})

/** The charges that the page of a subscription shows. */
const SHOWN_CHARGES = 20

const SubscriptionType = builder.objectRef<BillingSubscription>('BillingSubscription').implement({
  description: 'A subscription of a wallet to a tier. Amounts are in base units of the mint.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the subscription.' }),
    accountId: t.expose('accountId', { type: 'UUID', description: 'The business that it belongs to.' }),
    tierId: t.expose('tierId', { type: 'UUID', description: 'Its tier.' }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the money.' }),
    status: t.expose('status', { type: SubscriptionStatusEnum, description: 'Its state.' }),
    wallet: t.expose('subscriberWallet', { type: 'SolanaAddress', description: 'The wallet of the subscriber.' }),
    mint: t.expose('mint', { type: 'SolanaAddress', description: 'The token.' }),
    unitAmount: t.expose('unitAmount', { type: 'BaseUnits', description: 'The charge of one period.' }),
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
    periodIndex: t.exposeInt('periodIndex', { description: 'The current period, from 0.' }),
    currentPeriodStart: t.expose('currentPeriodStart', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The begin of the current period. Null before the first charge is final.',
    }),
    currentPeriodEnd: t.expose('currentPeriodEnd', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The end of the current period.',
    }),
    nextChargeAt: t.expose('nextChargeAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the next charge. Null while billing is stopped.',
    }),
    cancelAtPeriodEnd: t.exposeBoolean('cancelAtPeriodEnd', {
      description: 'Whether it ends with the current period.',
    }),
    pastDueSince: t.expose('pastDueSince', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The first failure of the present dunning.',
    }),
    dueAt: t.expose('dueAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'When the workers look at it next. Null when time alone does not change it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'When the checkout was completed.' }),
    endedAt: t.expose('endedAt', { type: 'DateTimeISO', nullable: true, description: 'The time of its end.' }),
    delegation: t.field({
      type: DelegationType,
      description: 'The allowance that it is charged from.',
      resolve: (subscription, _args, { services }) => services.subscriptions.delegationOf(subscription),
    }),
    charges: t.field({
      type: [ChargeType],
      description: `Its newest ${SHOWN_CHARGES} charges.`,
      resolve: async ({ id }, _args, { services }) => {
        const filter = { status: null, subscriptionId: id, accountId: null, wallet: null, limit: SHOWN_CHARGES }
        return [...(await services.operatorBilling.charges(filter))]
      },
    }),
  }),
})

builder.queryFields((t) => ({
  subscriptions: t.field({
    type: [SubscriptionType],
    description: 'Subscriptions, the newest first.',
    args: {
      status: t.arg({ type: SubscriptionStatusEnum, description: 'Shows subscriptions with this status only.' }),
      accountId: t.arg({ type: 'UUID', description: 'Shows subscriptions of this business only.' }),
      wallet: t.arg({ type: 'SolanaAddress', description: 'Shows subscriptions of this wallet only.' }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: async (_root, { status, accountId, wallet, limit }, { services }) => {
      const filter = {
        status: status ?? null,
        accountId: accountId ?? null,
        wallet: wallet ?? null,
        limit: limitOf(limit),
      }
      return [...(await services.operatorBilling.subscriptions(filter))]
    },
  }),
  subscription: t.field({
    type: SubscriptionType,
    description: 'One subscription.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the subscription.' }) },
    resolve: (_root, { id }, { services }) => services.operatorBilling.subscription(id),
  }),
}))
