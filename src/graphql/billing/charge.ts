// A charge: the pull for one period of a subscription. Spec: "Subscription resources".
import type { Waiting } from '#core/billing/charge.ts'
import { recoveryActionOf } from '#core/billing/payload.ts'
import { guardBillingNode } from '#graphql/billing/merchant.ts'
import { builder, nodeKey } from '#graphql/builder.ts'
import {
  CHARGE_STATUS_VALUES,
  FAILURE_CODE_VALUES,
  RECOVERY_ACTION_VALUES,
  WAITING_REASON_VALUES,
} from '#graphql/enum-values.ts'
import { RECEIPT_COST, ReceiptType } from '#graphql/receipt.ts'

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
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the charge, as REST shows it.' }),
    subscriptionId: t.expose('subscriptionId', { type: 'UUID', description: 'The `uuid` of its subscription.' }),
    periodIndex: t.exposeInt('periodIndex', { description: 'Its period, counted from 0.' }),
    delegationEpoch: t.exposeInt('delegationEpoch', { description: 'The epoch of the delegation that covers it.' }),
    mint: t.expose('mint', { type: 'Mint', description: 'The token.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What it pulls.' }),
    feeAmount: t.expose('feeAmount', { type: 'BaseUnits', description: 'The part of the platform, rounded down.' }),
    netAmount: t.expose('netAmount', { type: 'BaseUnits', description: 'The part of the business.' }),
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
    signature: t.expose('signature', {
      type: 'Signature',
      nullable: true,
      description: 'The transaction that made it. Null until that is final.',
    }),
    explorerUrl: t.string({
      nullable: true,
      description: 'A page about the transaction, for people. Null on a chain that the explorer does not know.',
      resolve: ({ signature }, _args, { services }) => services.billing.explorerUrl(signature),
    }),
    receipt: t.field({
      type: ReceiptType,
      nullable: true,
      description: 'Its receipt. Refused with `nothing_settled` unless it has succeeded.',
      extensions: RECEIPT_COST,
      resolve: (charge, _args, { services }) => services.receipts.ofCharge(charge),
    }),
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
    waiting: t.expose('waiting', {
      type: ChargeWaiting,
      nullable: true,
      description: 'Why it is not tried yet although it is due, and until when. Null while it does not wait.',
    }),
    attempts: t.exposeInt('attempts', { description: 'The number of tries that ended.' }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time at which it was planned.' }),
    settledAt: t.expose('settledAt', {
      type: 'DateTimeISO',
      nullable: true,
      description: 'The time of the block with its transaction.',
    }),
  }),
})
