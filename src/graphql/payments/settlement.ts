// What was settled and what was given back.

import { toUiNumber } from '#core/money/conversion.ts'
import type {
  AssetRefund,
  HeldMoney,
  LatePayment as LatePaymentShape,
  MintTotal,
  Refund,
  Settlement,
  SettlementLeg,
  TokenRefund as TokenRefundShape,
} from '#core/payments/payment-intent.ts'
import { LATE_PAYMENT_STATUSES, TOKEN_REFUND_STATUSES } from '#core/payments/payment-intent.ts'
import { LEG_ROLES } from '#core/transfers/plan.ts'
import { builder } from '#graphql/builder.ts'

const UI = 'The amount in whole units, as a float. For display only.'

export const LegRoleEnum = builder.enumType('LegRole', { values: LEG_ROLES })

const SettlementLegType = builder.objectRef<SettlementLeg>('SettlementLeg').implement({
  description: 'One payment out of the deposit address; the legs add up to what was received.',
  fields: (t) => ({
    role: t.expose('role', { type: LegRoleEnum }),
    destination: t.expose('destination', { type: 'SolanaAddress' }),
    mint: t.expose('mint', { type: 'SolanaAddress', nullable: true, description: 'null for SOL.' }),
    asset: t.exposeString('asset', { description: 'Display symbol.' }),
    decimals: t.exposeInt('decimals'),
    amount: t.expose('amount', { type: 'BaseUnits' }),
    amountUi: t.float({ description: UI, resolve: (leg) => toUiNumber(leg.amount, leg.decimals) }),
    feeBps: t.exposeInt('feeBps', { nullable: true }),
    signature: t.exposeString('signature'),
  }),
})

export const SettlementType = builder.objectRef<Settlement>('Settlement').implement({
  description: 'The figures of what really landed.',
  fields: (t) => ({
    asset: t.exposeString('asset', { description: 'Display symbol.' }),
    decimals: t.exposeInt('decimals'),
    destinationAmount: t.expose('destinationAmount', {
      type: 'BaseUnits',
      description: 'What landed in the destination wallet, net of fees and of a refunded excess.',
    }),
    destinationUi: t.float({
      description: UI,
      resolve: (settlement) => toUiNumber(settlement.destinationAmount, settlement.decimals),
    }),
    platformFeeAmount: t.expose('platformFeeAmount', { type: 'BaseUnits' }),
    platformFeeUi: t.float({
      description: UI,
      resolve: (settlement) => toUiNumber(settlement.platformFeeAmount, settlement.decimals),
    }),
    pendingAmount: t.expose('pendingAmount', {
      type: 'BaseUnits',
      description: 'What a sweep left behind for the business. It follows, and intent.settlement_updated reports it.',
    }),
    signatures: t.stringList({ resolve: (settlement) => [...settlement.signatures] }),
    legs: t.field({ type: [SettlementLegType], resolve: (settlement) => [...settlement.legs] }),
  }),
})

const REFUND_AMOUNT = 'What arrived where a transfer is final, and what was planned where it is under way.'
const REFUND_SIGNATURES = 'The newest final transactions that carry it, at most five, oldest first.'

export const RefundType = builder.objectRef<Refund>('Refund').implement({
  description: 'Money on its way back to its senders, or returned.',
  fields: (t) => ({
    amount: t.expose('amount', { type: 'BaseUnits', description: REFUND_AMOUNT }),
    signatures: t.stringList({ description: REFUND_SIGNATURES, resolve: ({ signatures }) => [...signatures] }),
  }),
})

export const AssetRefundType = builder.objectRef<AssetRefund>('AssetRefund').implement({
  description: 'The refund of what was paid for the price in one asset.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: REFUND_AMOUNT }),
    signatures: t.stringList({ description: REFUND_SIGNATURES, resolve: ({ signatures }) => [...signatures] }),
  }),
})

export const MintTotalType = builder.objectRef<MintTotal>('MintTotal').implement({
  description: 'The entries of a list of one mint, added up.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits' }),
    count: t.exposeInt('count'),
  }),
})

export const TokenRefundStatusEnum = builder.enumType('TokenRefundStatus', { values: TOKEN_REFUND_STATUSES })

export const TokenRefund = builder.objectRef<TokenRefundShape>('TokenRefund').implement({
  fields: (t) => ({
    mint: t.exposeString('mint', { description: 'SOL sent to an intent of a token is listed under wrapped SOL.' }),
    status: t.expose('status', { type: TokenRefundStatusEnum }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What arrived, in all payments of the mint.' }),
    refund: t.expose('refund', { type: RefundType, nullable: true, description: 'null while none is planned.' }),
  }),
})

export const LatePaymentStatusEnum = builder.enumType('LatePaymentStatus', { values: LATE_PAYMENT_STATUSES })

export const LatePayment = builder.objectRef<LatePaymentShape>('LatePayment').implement({
  description:
    'Money that arrived when the intent could no longer take it: one payment, or all payments of an asset and a status ' +
    'that are too small to return.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits' }),
    status: t.expose('status', { type: LatePaymentStatusEnum }),
    signature: t.exposeString('signature', { description: "The payment's own transaction, the newest of several." }),
    count: t.exposeInt('count', { description: 'How many payments this is.' }),
    refund: t.expose('refund', { type: RefundType, nullable: true, description: 'null while none is planned.' }),
  }),
})

export const HeldMoneyType = builder.objectRef<HeldMoney>('HeldMoney').implement({
  description: 'Money that nobody is known to be owed, or that cannot go back.',
  fields: (t) => ({
    mint: t.exposeString('mint', { nullable: true, description: 'null for SOL.' }),
    amount: t.expose('amount', { type: 'BaseUnits' }),
    reason: t.exposeString('reason', { description: 'For people.' }),
  }),
})
