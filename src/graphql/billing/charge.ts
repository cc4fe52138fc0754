// A charge: the pull for one period of a subscription. Spec: "Subscription resources".
import type { Waiting } from '#core/billing/charge.ts'
import { recoveryActionOf } from '#core/billing/views.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'
import {
  CHARGE_STATUS_VALUES,
  FAILURE_CODE_VALUES,
  RECOVERY_ACTION_VALUES,
  WAITING_REASON_VALUES,
} from '#graphql/enum-values.ts'

export const ChargeStatusEnum = builder.enumType('ChargeStatus', {
  description: 'The state of a charge.',
  values: CHARGE_STATUS_VALUES,
})

export const FailureCodeEnum = builder.enumType('ChargeFailureCode', {
  description: 'Why a try of a charge failed.',
  values: FAILURE_CODE_VALUES,
})

const RecoveryActionEnum = builder.enumType('ChargeRecoveryAction', {
  description: 'What makes a failed charge possible again.',
  values: RECOVERY_ACTION_VALUES,
})

const WaitingReasonEnum = builder.enumType('ChargeWaitingReason', {
  description: 'Why a charge that is due waits.',
  values: WAITING_REASON_VALUES,
})

const ChargeWaiting = builder.objectRef<Waiting>('ChargeWaiting').implement({
  description: 'A charge that is due, and waits.',
  fields: (t) => ({
    reason: t.expose('reason', { type: WaitingReasonEnum, description: 'Why it waits.' }),
    until: t.expose('until', {
      type: 'DateTimeISO',
      description: 'The time of the next try. It waits again when the reason still holds then.',
    }),
  }),
})

guardBillingNode('Charge')

export const ChargeNode = builder.prismaNode('Charge', {
  description: 'The pull for one period of a subscription. Amounts are in base units of the mint.',
  id: { field: 'id', description: 'The global id of the charge, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'The id of the charge, as REST shows it.', resolve: ({ id }) => id }),
    subscriptionId: t.field({
      type: 'UUID',
      description: 'The `uuid` of its subscription.',
      resolve: ({ subscriptionId }) => subscriptionId,
    }),
    periodIndex: t.int({ description: 'Its period, counted from 0.', resolve: ({ periodIndex }) => periodIndex }),
    delegationEpoch: t.int({
      description: 'The epoch of the delegation that covers it.',
      resolve: ({ delegationEpoch }) => delegationEpoch,
    }),
    mint: t.field({ type: 'Mint', description: 'The token.', resolve: ({ mint }) => mint }),
    amount: t.field({ type: 'BaseUnits', description: 'What it pulls.', resolve: ({ amount }) => amount }),
    feeAmount: t.field({
      type: 'BaseUnits',
      description: 'The part of the platform, rounded down.',
      resolve: ({ feeAmount }) => feeAmount,
    }),
    netAmount: t.field({
      type: 'BaseUnits',
      description: 'The part of the business.',
      resolve: ({ netAmount }) => netAmount,
    }),
    destinationAta: t.field({
      type: 'SolanaAddress',
      description: 'The token account of the business.',
      resolve: ({ destinationAta }) => destinationAta,
    }),
    feeDestination: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'The token account of the platform. Null without a fee.',
      resolve: ({ feeDestination }) => feeDestination,
    }),
    status: t.field({ type: ChargeStatusEnum, description: 'Its state.', resolve: ({ status }) => status }),
    signature: t.field({
      type: 'Signature',
      nullable: true,
      description: 'The transaction that made it. Null until that is final.',
      resolve: ({ signature }) => signature,
    }),
    explorerUrl: t.string({
      nullable: true,
      description: 'A page about the transaction, for people. Null on a chain that the explorer does not know.',
      resolve: ({ signature }, _args, { services }) => services.billing.explorerUrl(signature),
    }),
    failureCode: t.field({
      type: FailureCodeEnum,
      nullable: true,
      description: 'Why the last try failed.',
      resolve: ({ failureCode }) => failureCode,
    }),
    recoveryAction: t.field({
      type: RecoveryActionEnum,
      nullable: true,
      description: 'What makes it possible again. Null while the last try did not fail.',
      resolve: (charge) => recoveryActionOf(charge),
    }),
    waiting: t.field({
      type: ChargeWaiting,
      nullable: true,
      description: 'Why it is not tried yet although it is due, and until when. Null while it does not wait.',
      resolve: ({ waiting }) => waiting,
    }),
    attempts: t.int({ description: 'The number of tries that ended.', resolve: ({ attempts }) => attempts }),
    createdAt: t.field({
      type: 'DateTimeISO',
      description: 'The time at which it was planned.',
      resolve: ({ createdAt }) => createdAt,
    }),
    settledAt: t.field({
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the block with its transaction.',
      resolve: ({ settledAt }) => settledAt,
    }),
  }),
})
