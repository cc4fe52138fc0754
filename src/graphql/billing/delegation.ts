// The allowance that a token account of a wallet gives the service. Spec: "Subscription resources".
import { builder } from '#graphql/builder.ts'
import { DELEGATION_STATUS_VALUES } from '#graphql/enum-values.ts'
import type { BusinessDelegation } from '#services/billing/subscriptions.ts'

const DelegationStatusEnum = builder.enumType('SubscriptionDelegationStatus', {
  description: 'Whether the allowance covers what is outstanding.',
  values: DELEGATION_STATUS_VALUES,
})

export const SubscriptionDelegation = builder.objectRef<BusinessDelegation>('SubscriptionDelegation').implement({
  description:
    'What one token account of a wallet lets the service pull. All subscriptions of the wallet share it. Amounts are in base ' +
    'units of the mint.',
  fields: (t) => ({
    subscriberWallet: t.expose('wallet', { type: 'SolanaAddress', description: 'The wallet of the subscriber.' }),
    mint: t.expose('mint', { type: 'Mint', description: 'The token.' }),
    epoch: t.exposeInt('epoch', {
      description: 'The number of approves that became final. Each replaces the allowance.',
    }),
    status: t.expose('status', {
      type: DelegationStatusEnum,
      description: 'Whether the allowance covers what is outstanding.',
    }),
    authorizedTotal: t.expose('authorizedTotal', {
      type: 'BaseUnits',
      description: 'The amount of the newest approve that became final.',
    }),
    tokenAccount: t.expose('tokenAccount', { type: 'SolanaAddress', description: 'The token account of the wallet.' }),
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
    clearedAt: t.expose('clearedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time since which nothing is outstanding.',
    }),
    liveSubscriptions: t.int({
      description: 'The subscriptions of the business on it that have not ended.',
      resolve: (delegation, _args, { services }) => services.subscriptions.countLiveOn(delegation),
    }),
    subscriptionsPerWallet: t.int({
      description:
        'The live subscriptions that one wallet may have, those with other businesses and in other tokens included.',
      resolve: async (_delegation, _args, { services }) =>
        (await services.billing.facts())?.subscriptionsPerWallet ?? 0,
    }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
  }),
})
