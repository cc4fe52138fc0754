// A refund that a business makes on purpose, from its own wallet. docs/contract.md, "Refunds by the business".

import { SOL } from '#core/chain/types.ts'
import type { RefundTerms } from '#core/refunds/plan.ts'
import type { Part, RefundStatus } from '#core/refunds/refund.ts'
import { ChargeNode } from '#graphql/billing/charge.ts'
import { builder, nodeKey } from '#graphql/builder.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'
import { RECEIPT_COST, ReceiptType } from '#graphql/receipt.ts'
import type { RefundTransactionOffer } from '#services/refunds/refunds.ts'

export const BusinessRefundStatusEnum = builder.enumType('BusinessRefundStatus', {
  description: 'The status of a refund by a business.',
  values: {
    open: { description: 'Nothing was paid yet.' },
    processing: { description: 'Less than the amount was paid.' },
    succeeded: { description: 'The amount or more was paid.' },
    failed: { description: 'Its time ended, and too little was paid.' },
    canceled: { description: 'The business canceled it before the amount was paid.' },
    expired: { description: 'Its time ended, and nothing was paid.' },
  } satisfies Record<RefundStatus, object>,
})

const RefundPartEnum = builder.enumType('BusinessRefundPart', {
  description: 'Whose wallet pays a refund by a business.',
  values: {
    payee: { description: 'That of the business or the seller.' },
    marketplace: { description: 'The fee wallet of the marketplace, for its part.' },
  } satisfies Record<Part, object>,
})

export const BusinessRefundNode = builder.prismaNode('Refund', {
  variant: 'BusinessRefund',
  description:
    'Money that a business gives back on purpose, from its own wallet. `refunds` of a payment is another thing: what the service ' +
    'returns by itself. Amounts are in base units.',
  id: { field: 'id', description: 'The global id of the refund, for `node`.' },
  findUnique: nodeKey,
  // A missing or foreign node is null, not an error.
  nullable: true,
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The id of the refund, as REST and webhooks show it.' }),
    paymentId: t.expose('intentId', {
      type: 'UUID',
      nullable: true,
      description: 'The `uuid` of the payment that it gives money back of. Null where that is a charge.',
    }),
    chargeId: t.expose('chargeId', {
      type: 'UUID',
      nullable: true,
      description: 'The `uuid` of the charge that it gives money back of. Null where that is a payment.',
    }),
    subscriptionId: t.expose('subscriptionId', {
      type: 'UUID',
      nullable: true,
      description: 'The `uuid` of the subscription of the charge. Null where it gives money back of a payment.',
    }),
    part: t.expose('part', { type: RefundPartEnum, description: 'Whose wallet pays.' }),
    partOf: t.expose('partOf', {
      type: 'UUID',
      nullable: true,
      description:
        'The `uuid` of the refund with which the part of a marketplace was created. Null for every other one.',
    }),
    reverseFee: t.exposeBoolean('reverseFee', { description: 'Whether the marketplace gives its part of the amount.' }),
    status: t.expose('status', { type: BusinessRefundStatusEnum, description: 'Its status.' }),
    mint: t.field({
      type: 'Mint',
      nullable: true,
      description: 'The token. Null for SOL.',
      resolve: ({ asset }) => (asset === SOL ? null : asset),
    }),
    decimals: t.exposeInt('decimals', { description: 'The decimals of the asset.' }),
    amount: t.expose('amount', { type: 'BaseUnits', description: 'What is to be paid.' }),
    paidAmount: t.expose('paidAmount', {
      type: 'BaseUnits',
      description: 'What was paid, by all transactions together. It can be more than the amount.',
    }),
    paidBy: t.field({
      type: ['SolanaAddress'],
      description: 'The wallets that paid.',
      resolve: ({ paidBy }) => [...paidBy],
    }),
    signatures: t.field({
      type: ['Signature'],
      description: 'The first transactions that paid, at most 20, oldest first.',
      resolve: ({ signatures }) => [...signatures],
    }),
    payer: t.expose('payer', { type: 'SolanaAddress', description: 'The wallet that is to pay.' }),
    recipient: t.expose('recipient', { type: 'SolanaAddress', description: 'The wallet that gets the money.' }),
    paymentUri: t.string({
      nullable: true,
      description: 'A Solana Pay link for the wallet that pays: what is unpaid. Null from a minute before the end.',
      resolve: (refund, _args, { services }) => services.refunds.paymentUriOf(refund),
    }),
    referenceKey: t.expose('referenceKey', {
      type: 'SolanaAddress',
      description: 'The key that a transaction has to name. One without it is never found.',
    }),
    reference: t.exposeString('reference', { nullable: true, description: 'The idempotency key of the business.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is made, for people.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'What is wrong with the newest transaction that did not count, or why it failed, for people.',
    }),
    receipt: t.field({
      type: ReceiptType,
      nullable: true,
      description: 'Its receipt. Refused with `nothing_settled` unless it has succeeded.',
      extensions: RECEIPT_COST,
      resolve: (refund, _args, { services }) => services.receipts.ofRefund(refund),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTimeISO',
      description: 'Until when it can be paid: until its cancelation where it was canceled.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTimeISO', description: 'The time of its creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTimeISO', description: 'The time of the last change.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTimeISO',
      nullable: true,
      description:
        'The time at which it was paid, or was found not to be paid. Until then its amount counts as refunded, also when it is canceled.',
    }),
  }),
})

export const BusinessRefundTransaction = builder
  .objectRef<RefundTransactionOffer>('BusinessRefundTransaction')
  .implement({
    description: 'The transaction that pays a refund, for the wallet that is to pay. It can land for about 30 seconds.',
    fields: (t) => ({
      transaction: t.string({
        nullable: true,
        description: 'In base64, with an empty place for the signature. Null with a `reason`.',
        resolve: ({ transaction }) => transaction && Buffer.from(transaction).toString('base64'),
      }),
      reason: t.exposeString('reason', { nullable: true, description: 'Why there is none, for people.' }),
      expiresAt: t.expose('expiresAt', {
        type: 'DateTimeISO',
        nullable: true,
        description: 'When it can no longer land, at the measured pace of the chain.',
      }),
      accountRent: t.expose('accountRent', {
        type: 'BaseUnits',
        description:
          'What the wallet that pays gives for a token account of the recipient, in lamports. 0 where it has one.',
      }),
    }),
  })

export const RefundTermsType = builder.objectRef<RefundTerms>('RefundTerms').implement({
  description: 'What a refund would be now, without an amount and an address. Amounts are in base units.',
  fields: (t) => ({
    refundable: t.expose('refundable', { type: 'BaseUnits', description: 'What can still go back.' }),
    recipient: t.expose('recipient', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that gets the money. Null where none is known: `to` is then required.',
    }),
    most: t.expose('most', {
      type: 'BaseUnits',
      description: 'What can go to this wallet at most. Where several paid, each gets back what it paid.',
    }),
    payer: t.expose('payer', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The wallet that is to pay. Null where the business has none.',
    }),
  }),
})

// The refunds of a payment and of a charge.

const SHOWN = 'The newest refunds that the business made of it, at most 20; `refunds` has all.'
const REFUNDABLE =
  'What the business can still refund, in base units: what settled, without what its refunds take of it.'

builder.prismaObjectFields(PaymentIntentNode, (t) => ({
  businessRefunds: t.field({
    type: [BusinessRefundNode],
    description: SHOWN,
    resolve: async ({ id, settlement }, _args, { services }) =>
      settlement === null ? [] : [...(await services.refunds.refundsOf(id))],
  }),
  refundableAmount: t.field({
    type: 'BaseUnits',
    nullable: true,
    description: `${REFUNDABLE} Null before the payment has settled.`,
    resolve: async (payment, _args, { services: { refunds } }) =>
      payment.settlement === null ? null : await refunds.refundableOf(payment.id, refunds.settledAmountOf(payment)),
  }),
}))

builder.prismaObjectFields(ChargeNode, (t) => ({
  businessRefunds: t.field({
    type: [BusinessRefundNode],
    description: SHOWN,
    resolve: async ({ id, status }, _args, { services }) =>
      status === 'succeeded' ? [...(await services.refunds.refundsOf(id))] : [],
  }),
  refundableAmount: t.field({
    type: 'BaseUnits',
    nullable: true,
    description: `${REFUNDABLE} Null until it has succeeded.`,
    resolve: async ({ id, status, amount }, _args, { services }) =>
      status === 'succeeded' ? await services.refunds.refundableOf(id, amount) : null,
  }),
}))
