// Charges of subscriptions, of all businesses.
import { recoveryActionOf } from '#core/billing/payload.ts'
import { CHARGE_STATUS_VALUES, FAILURE_CODE_VALUES, RECOVERY_ACTION_VALUES } from '#graphql/enum-values.ts'
import { builder, limitOf, NetworkEnum } from '#graphql/operator/builder.ts'
import type { ListedCharge } from '#ports/operator-billing.ts'

const ChargeStatusEnum = builder.enumType('ChargeStatus', {
  description: 'The state of a charge.',
  values: CHARGE_STATUS_VALUES,
})

const FailureCodeEnum = builder.enumType('ChargeFailureCode', {
  description: 'Why a try of a charge failed.',
  values: FAILURE_CODE_VALUES,
})

const RecoveryActionEnum = builder.enumType('ChargeRecoveryAction', {
  description: 'What makes a failed charge possible again.',
  values: RECOVERY_ACTION_VALUES,
})

export const ChargeType = builder.objectRef<ListedCharge>('Charge').implement({
  description: 'The pull for one period of a subscription. Amounts are in base units of the mint.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of the charge.' }),
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', description: 'The id of its subscription.' }),
    accountId: t.expose('accountId', { type: 'UUID', description: 'The business that it is for.' }),
    network: t.expose('network', { type: NetworkEnum, description: 'The network of the money.' }),
    wallet: t.expose('wallet', { type: 'SolanaAddress', description: 'The wallet of the subscriber.' }),
    mint: t.expose('mint', { type: 'SolanaAddress', description: 'The token.' }),
    periodIndex: t.exposeInt('periodIndex', { description: 'Its period, counted from 0.' }),
    periodStart: t.expose('periodStart', { type: 'DateTimeISO', description: 'The begin of the period.' }),
    periodEnd: t.expose('periodEnd', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The end of the period. Null until the first charge is final.',
    }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What it pulls.' }),
    netAmount: t.expose('netAmount', { type: 'BaseUnits', description: 'The part of the business.' }),
    feeAmount: t.expose('feeAmount', { type: 'BaseUnits', description: 'The part of the platform, rounded down.' }),
    destinationAta: t.expose('destinationAta', {
      type: 'SolanaAddress',
      description: 'The token account of the business.',
    }),
    feeDestination: t.expose('feeDestination', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The token account of the platform. Null without a fee.',
    }),
    status: t.expose('status', { type: ChargeStatusEnum, description: 'Its state.' }),
    failureCode: t.expose('failureCode', {
      type: FailureCodeEnum,
      nullable: true,
      description: 'Why the last try failed.',
    }),
    recoveryAction: t.field({
      type: RecoveryActionEnum,
      nullable: true,
      description: 'What makes it possible again. Null while the last try did not fail.',
      resolve: (charge) => recoveryActionOf(charge),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why its transfer waits or failed, or what is wrong with it, for people.',
    }),
    attempts: t.exposeInt('attempts', { description: 'The number of tries that ended.' }),
    nextAttemptAt: t.expose('nextAttemptAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the next try. Null when none is planned.',
    }),
    signature: t.exposeString('signature', { nullable: true, description: 'Its final transaction. Null until then.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time at which it was planned.' }),
    settledAt: t.expose('settledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the block with its transaction.',
    }),
  }),
})

builder.queryFields((t) => ({
  charges: t.field({
    type: [ChargeType],
    description: 'Charges, the newest first.',
    args: {
      status: t.arg({ type: ChargeStatusEnum, description: 'Shows charges with this status only.' }),
      subscriptionId: t.arg({ type: 'UUID', description: 'Shows charges of this subscription only.' }),
      accountId: t.arg({ type: 'UUID', description: 'Shows charges for this business only.' }),
      wallet: t.arg({ type: 'SolanaAddress', description: 'Shows charges of this subscriber only.' }),
      limit: t.arg.int({ description: 'The most entries: 20 unless it is given, at most 100.' }),
    },
    resolve: async (_root, { status, subscriptionId, accountId, wallet, limit }, { services }) => {
      const filter = {
        status: status ?? null,
        subscriptionId: subscriptionId ?? null,
        accountId: accountId ?? null,
        wallet: wallet ?? null,
        limit: limitOf(limit),
      }
      return [...(await services.operatorBilling.charges(filter))]
    },
  }),
  charge: t.field({
    type: ChargeType,
    description: 'One charge.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the charge.' }) },
    resolve: (_root, { id }, { services }) => services.operatorBilling.charge(id),
  }),
}))

builder.mutationField('retryCharge', (t) =>
  t.field({
    type: ChargeType,
    description: 'Tries a failed charge again at once, where another try may succeed. Never before its period begins.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The id of the charge.' }) },
    resolve: (_root, { id }, { services }) => services.operatorBilling.retryCharge(id),
  }),
)
