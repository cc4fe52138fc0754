// The fields that a payment shows to its business and to its buyer alike. Each resolves from the payment as a service
// returns it, and as `tenant-reads.ts` decodes it. A field is a part of the payment, or core derives it; a resolver
// decides nothing.
import { SOL } from '#core/chain/types.ts'
import { collected } from '#core/payments/customer-details.ts'
import { CHECKOUT_WINDOW_SECONDS, coversPrice, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { NEWEST } from '#core/payments/returns/asset-books.ts'
import { actionOf, messageOf, settledShortfall, shortfallOf } from '#core/payments/status-view.ts'
import { builder, type InterfaceFieldsOf } from '#graphql/builder.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { RefundAddressType } from '#graphql/payments/refund-address-type.ts'
import {
  AssetRefundType,
  HeldMoneyType,
  LatePayment,
  MintTotalType,
  SettlementType,
  TokenRefund,
} from '#graphql/payments/settlement.ts'
import { IntentActionEnum, IntentStatusEnum } from '#graphql/payments/status.ts'
import { RECEIPT_COST, ReceiptType } from '#graphql/receipt.ts'
import { CustomerDetails, LineItemType } from './details.ts'

const NEWEST_ENTRIES = `Shows the newest ${NEWEST} entries, oldest first.`
const COUNT = 'The number of all entries. Null when the list shows all of them.'
const TOTALS = 'The sum of all entries by mint. Null when the list shows all entries.'

const mutable = <T>(list: readonly T[] | undefined): T[] | null => (list === undefined ? null : [...list])

type PaymentFields = InterfaceFieldsOf<PaymentIntent>

const orderFields = (t: PaymentFields) => ({
  network: t.expose('network', {
    type: NetworkEnum,
    description: 'The network on which the payment is made.',
  }),
  derivationIndex: t.exposeInt('derivationIndex', {
    description: 'The integer that identifies the payment in the operations of the business, as `index`.',
  }),
  address: t.expose('address', { type: 'SolanaAddress', description: 'The deposit address of this payment.' }),
  priceUsdCents: t.expose('priceUsdCents', { type: 'UsdCents', description: 'The price in US cents.' }),
  acceptedAssets: t.field({
    type: ['Asset'],
    description: 'The assets in which the buyer can pay.',
    resolve: ({ acceptedAssets }) => [...acceptedAssets],
  }),
  status: t.expose('status', {
    type: IntentStatusEnum,
    description: 'How far the payment is.',
  }),
  action: t.field({
    type: IntentActionEnum,
    description: 'The state to show to a buyer.',
    resolve: actionOf,
  }),
  message: t.string({
    description: 'The state in a sentence for people. Texts change: do not parse them.',
    resolve: messageOf,
  }),
  reference: t.exposeString('reference', {
    nullable: true,
    description: 'The idempotency key of the business, typically its order id.',
  }),
  marketplaceFeeBps: t.exposeInt('marketplaceFeeBps', {
    nullable: true,
    description:
      'The share of the marketplace in basis points, fixed at creation. Null unless the payment is for a seller.',
  }),
  customerDetails: t.field({
    type: CustomerDetails,
    nullable: true,
    description: 'The details of the buyer. Null when none were collected.',
    resolve: ({ customerDetails }) => collected(customerDetails),
  }),
  description: t.string({
    nullable: true,
    description: 'What the payment is for, in the words of the business.',
    resolve: ({ orderDetails }) => orderDetails?.description ?? null,
  }),
  lineItems: t.field({
    type: [LineItemType],
    description: 'The lines of the order, for the buyer to read. They need not add up to the price.',
    resolve: ({ orderDetails }) => [...(orderDetails?.lineItems ?? [])],
  }),
  successUrl: t.string({
    nullable: true,
    description: 'Where the buyer goes after paying.',
    resolve: ({ orderDetails }) => orderDetails?.successUrl ?? null,
  }),
  cancelUrl: t.string({
    nullable: true,
    description: 'Where the buyer goes when the payment has ended without success.',
    resolve: ({ orderDetails }) => orderDetails?.cancelUrl ?? null,
  }),
  expiresAt: t.expose('expiresAt', {
    type: 'DateTimeISO',
    description: `The end of the checkout window, ${CHECKOUT_WINDOW_SECONDS / 60} minutes after creation.`,
  }),
  createdAt: t.expose('createdAt', {
    type: 'DateTimeISO',
    description: 'The time of creation.',
  }),
  updatedAt: t.expose('updatedAt', {
    type: 'DateTimeISO',
    description: 'The time of the last change.',
  }),
  version: t.exposeInt('version', {
    description: 'Grows with every change: of two states, the one with the larger version is newer.',
  }),
})

const amountFields = (t: PaymentFields) => ({
  asset: t.field({
    type: 'Asset',
    nullable: true,
    description: 'The selected asset. Null until a token is selected.',
    resolve: ({ selection }) => selection?.asset ?? null,
  }),
  mint: t.field({
    type: 'Mint',
    nullable: true,
    description: 'The mint of the selected token. Null for SOL, and until a token is selected.',
    resolve: ({ selection }) => (selection === null || selection.asset === SOL ? null : selection.asset),
  }),
  mintDecimals: t.int({
    nullable: true,
    description: 'The number of decimals of the selected asset. Null until a token is selected.',
    resolve: ({ selection }) => selection?.decimals ?? null,
  }),
  expectedAmount: t.field({
    type: 'BaseUnits',
    nullable: true,
    description: 'The amount to pay, in base units of the selected asset. Null until a token is selected.',
    resolve: ({ selection }) => selection?.expected ?? null,
  }),
  isCovered: t.boolean({
    description: 'Whether the price counts as paid, perhaps because the business tolerates what is missing.',
    resolve: coversPrice,
  }),
  receivedAmount: t.expose('received', {
    type: 'BaseUnits',
    description: 'The amount that has arrived, in base units of the selected asset.',
  }),
  shortfall: t.field({
    type: 'BaseUnits',
    nullable: true,
    description: 'The amount that is still missing. Null unless the payment is underpaid.',
    resolve: shortfallOf,
  }),
  paymentUri: t.string({
    nullable: true,
    description:
      'The Solana Pay link for the amount that is still due. Null until a token is selected, and unless the payment is ' +
      'pending or underpaid.',
    resolve: paymentUriOf,
  }),
})

const outcomeFields = (t: PaymentFields) => ({
  settlement: t.field({
    type: SettlementType,
    nullable: true,
    description: 'The settled amounts. Null until the payment is swept.',
    resolve: (intent) => intent.settlement && { ...intent.settlement, shortfallAmount: settledShortfall(intent) },
  }),
  receipt: t.field({
    type: ReceiptType,
    nullable: true,
    description: `The receipt as of the last change. Refused with \`nothing_settled\` until something has settled.`,
    extensions: RECEIPT_COST,
    resolve: (intent, _args, { services }) => services.receipts.ofPayment(intent),
  }),
  refundSender: t.expose('refundSender', {
    type: 'SolanaAddress',
    nullable: true,
    description: 'The address to which a refund would go. Null until it is known.',
  }),
  refunds: t.field({
    type: [AssetRefundType],
    description:
      'The refunds of money that was paid for the price, by asset. Empty unless `status` reports a refund, or is `swept` and a ' +
      'part of an excess goes back after the settlement.',
    resolve: ({ refunds }) => [...refunds],
  }),
  tokenRefunds: t.field({
    type: [TokenRefund],
    description: `The refunds of assets that were sent by mistake. They do not affect \`status\`. ${NEWEST_ENTRIES}`,
    resolve: ({ tokenRefunds }) => [...tokenRefunds],
  }),
  tokenRefundsCount: t.int({
    nullable: true,
    description: COUNT,
    resolve: ({ listTotals }) => listTotals.tokenRefunds?.count ?? null,
  }),
  latePayments: t.field({
    type: [LatePayment],
    description: `Money that arrived after the payment was closed. ${NEWEST_ENTRIES}`,
    resolve: ({ latePayments }) => [...latePayments],
  }),
  latePaymentsCount: t.int({
    nullable: true,
    description: COUNT,
    resolve: ({ listTotals }) => listTotals.latePayments?.count ?? null,
  }),
  latePaymentsTotals: t.field({
    type: [MintTotalType],
    nullable: true,
    description: TOTALS,
    resolve: ({ listTotals }) => mutable(listTotals.latePayments?.totals),
  }),
  held: t.field({
    type: [HeldMoneyType],
    description: `Money that stays at the address until the operator releases it. ${NEWEST_ENTRIES}`,
    resolve: ({ held }) => [...held],
  }),
  heldCount: t.int({
    nullable: true,
    description: COUNT,
    resolve: ({ listTotals }) => listTotals.held?.count ?? null,
  }),
  heldTotals: t.field({
    type: [MintTotalType],
    nullable: true,
    description: TOTALS,
    resolve: ({ listTotals }) => mutable(listTotals.held?.totals),
  }),
  refundAddress: t.expose('refundAddress', {
    type: RefundAddressType,
    nullable: true,
    description:
      'The address of the buyer to which held money may go. Null while nothing was held that could go to the buyer.',
  }),
})

export const Payment = builder.interfaceRef<PaymentIntent>('Payment').implement({
  description: 'What the business and the buyer of a payment both see of it.',
  fields: (t) => ({ ...orderFields(t), ...amountFields(t), ...outcomeFields(t) }),
})
