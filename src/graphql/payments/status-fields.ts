// The fields that a payment shows to its business and to its buyer alike. A field is a column, or core derives it from
// columns; a resolver decides nothing.
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import { listOf } from '#core/json.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import {
  readAssetRefund,
  readCustomerDetails,
  readHeldMoney,
  readLatePayment,
  readListTotals,
  readSettlement,
  readTokenRefund,
} from '#core/payments/codec.ts'
import { collected } from '#core/payments/customer-details.ts'
import { CHECKOUT_WINDOW_SECONDS, type ListTotals } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { NEWEST } from '#core/payments/returns/newest.ts'
import { actionOf, messageOf, shortfallOf } from '#core/payments/status-view.ts'
import type { FieldsOf } from '#graphql/builder.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { CustomerDetails } from '#graphql/payments/customer-details.ts'
import { type IntentRow, stateOf } from '#graphql/payments/row.ts'
import {
  AssetRefundType,
  HeldMoneyType,
  LatePayment,
  MintTotalType,
  SettlementType,
  TokenRefund,
} from '#graphql/payments/settlement.ts'
import { IntentActionEnum, IntentStatusEnum } from '#graphql/payments/status.ts'

const NEWEST_ENTRIES = `Shows the newest ${NEWEST} entries, oldest first.`
const COUNT = 'The number of all entries. Null when the list shows all of them.'
const TOTALS = 'The sum of all entries by mint. Null when the list shows all entries.'

const totalsOf = ({ listTotals }: Pick<IntentRow, 'listTotals'>): ListTotals =>
  readListTotals(listTotals, 'list_totals')
const mutable = <T>(list: readonly T[] | undefined): T[] | null => (list === undefined ? null : [...list])

/** Declares the fields. Resolvers, not t.expose: that would read a row again that a service returned. */
export const statusFields = (t: FieldsOf<IntentRow>) => ({
  ...orderFields(t),
  ...amountFields(t),
  ...outcomeFields(t),
})

const orderFields = (t: FieldsOf<IntentRow>) => ({
  network: t.field({
    type: NetworkEnum,
    description: 'The network on which the payment is made.',
    resolve: (row) => row.network,
  }),
  derivationIndex: t.int({
    description: 'The integer that identifies the payment in the operations of the business, as `index`.',
    resolve: (row) => row.derivationIndex,
  }),
  address: t.field({
    type: 'SolanaAddress',
    description: 'The deposit address of this payment.',
    resolve: (row) => stateOf(row).address,
  }),
  priceUsdCents: t.field({
    type: 'UsdCents',
    description: 'The price in US cents.',
    resolve: (row) => makeUsdCents(row.priceUsdCents),
  }),
  acceptedAssets: t.field({
    type: ['Asset'],
    description: 'The assets in which the buyer can pay.',
    resolve: (row) => row.acceptedAssets.map(makeAsset),
  }),
  status: t.field({
    type: IntentStatusEnum,
    description: 'How far the payment is.',
    resolve: (row) => row.status,
  }),
  action: t.field({
    type: IntentActionEnum,
    description: 'The state to show to a buyer.',
    resolve: (row) => actionOf(stateOf(row)),
  }),
  message: t.string({
    description: 'The state in a sentence for people. Texts change: do not parse them.',
    resolve: (row) => messageOf(stateOf(row)),
  }),
  reference: t.string({
    nullable: true,
    description: 'The idempotency key of the business, typically its order id.',
    resolve: (row) => row.reference,
  }),
  marketplaceFeeBps: t.int({
    nullable: true,
    description:
      'The share of the marketplace in basis points, fixed at creation. Null unless the payment is for a seller.',
    resolve: (row) => row.marketplaceFeeBps,
  }),
  customerDetails: t.field({
    type: CustomerDetails,
    nullable: true,
    description: 'The details of the buyer. Null when none were collected.',
    resolve: ({ customerDetails }) =>
      customerDetails === null ? null : collected(readCustomerDetails(customerDetails, 'customer_details')),
  }),
  expiresAt: t.field({
    type: 'DateTimeISO',
    description: `The end of the checkout window, ${CHECKOUT_WINDOW_SECONDS / 60} minutes after creation.`,
    resolve: (row) => row.expiresAt,
  }),
  createdAt: t.field({
    type: 'DateTimeISO',
    description: 'The time of creation.',
    resolve: (row) => row.createdAt,
  }),
  updatedAt: t.field({
    type: 'DateTimeISO',
    description: 'The time of the last change.',
    resolve: (row) => row.updatedAt,
  }),
  version: t.int({
    description: 'Grows with every change: of two states, the one with the larger version is newer.',
    resolve: (row) => row.version,
  }),
})

const amountFields = (t: FieldsOf<IntentRow>) => ({
  asset: t.field({
    type: 'Asset',
    nullable: true,
    description: 'The selected asset. Null until a token is selected.',
    resolve: (row) => stateOf(row).selection?.asset ?? null,
  }),
  mint: t.field({
    type: 'Mint',
    nullable: true,
    description: 'The mint of the selected token. Null for SOL, and until a token is selected.',
    resolve: (row) => (row.asset === null || row.asset === SOL ? null : makeAddress(row.asset)),
  }),
  mintDecimals: t.int({
    nullable: true,
    description: 'The number of decimals of the selected asset. Null until a token is selected.',
    resolve: (row) => row.assetDecimals,
  }),
  expectedAmount: t.field({
    type: 'BaseUnits',
    nullable: true,
    description: 'The amount to pay, in base units of the selected asset. Null until a token is selected.',
    resolve: (row) => stateOf(row).selection?.expected ?? null,
  }),
  receivedAmount: t.field({
    type: 'BaseUnits',
    description: 'The amount that has arrived, in base units of the selected asset.',
    resolve: (row) => stateOf(row).received,
  }),
  shortfall: t.field({
    type: 'BaseUnits',
    nullable: true,
    description: 'The amount that is still missing. Null unless the payment is underpaid.',
    resolve: (row) => shortfallOf(stateOf(row)),
  }),
  paymentUri: t.string({
    nullable: true,
    description:
      'The Solana Pay link for the amount that is still due. Null until a token is selected, and unless the payment is ' +
      'pending or underpaid.',
    resolve: (row) => paymentUriOf(stateOf(row)),
  }),
})

const outcomeFields = (t: FieldsOf<IntentRow>) => ({
  settlement: t.field({
    type: SettlementType,
    nullable: true,
    description: 'The settled amounts. Null until the payment is swept.',
    resolve: ({ settlement }) => (settlement === null ? null : readSettlement(settlement, 'settlement')),
  }),
  refundSender: t.field({
    type: 'SolanaAddress',
    nullable: true,
    description: 'The address to which a refund would go. Null until it is known.',
    resolve: (row) => (row.refundSender === null ? null : makeAddress(row.refundSender)),
  }),
  refunds: t.field({
    type: [AssetRefundType],
    description: 'The refunds of money that was paid for the price, by asset. Empty unless `status` reports a refund.',
    resolve: (row) => [...listOf(readAssetRefund)(row.refunds, 'refunds')],
  }),
  tokenRefunds: t.field({
    type: [TokenRefund],
    description: `The refunds of assets that were sent by mistake. They do not affect \`status\`. ${NEWEST_ENTRIES}`,
    resolve: (row) => [...listOf(readTokenRefund)(row.tokenRefunds, 'token_refunds')],
  }),
  tokenRefundsCount: t.int({
    nullable: true,
    description: COUNT,
    resolve: (row) => totalsOf(row).tokenRefunds?.count ?? null,
  }),
  latePayments: t.field({
    type: [LatePayment],
    description: `Money that arrived after the payment was closed. ${NEWEST_ENTRIES}`,
    resolve: (row) => [...listOf(readLatePayment)(row.latePayments, 'late_payments')],
  }),
  latePaymentsCount: t.int({
    nullable: true,
    description: COUNT,
    resolve: (row) => totalsOf(row).latePayments?.count ?? null,
  }),
  latePaymentsTotals: t.field({
    type: [MintTotalType],
    nullable: true,
    description: TOTALS,
    resolve: (row) => mutable(totalsOf(row).latePayments?.totals),
  }),
  held: t.field({
    type: [HeldMoneyType],
    description: `Money that stays at the address until the operator releases it. ${NEWEST_ENTRIES}`,
    resolve: (row) => [...listOf(readHeldMoney)(row.held, 'held')],
  }),
  heldCount: t.int({
    nullable: true,
    description: COUNT,
    resolve: (row) => totalsOf(row).held?.count ?? null,
  }),
  heldTotals: t.field({
    type: [MintTotalType],
    nullable: true,
    description: TOTALS,
    resolve: (row) => mutable(totalsOf(row).held?.totals),
  }),
})
