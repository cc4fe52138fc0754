// The payment intent as a type. Its fields are columns, or told from columns by core; a resolver decides nothing.
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
import { INTENT_STATUSES, type ListTotals } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { NEWEST as NEWEST_SHOWN } from '#core/payments/returns/newest.ts'
import { ACTIONS, actionOf, messageOf, shortfallOf } from '#core/payments/status-view.ts'
import { builder } from '#graphql/builder.ts'
import { NetworkEnum } from '#graphql/network.ts'
import { CustomerDetails } from '#graphql/payments/customer-details.ts'
import { INTENT_COLUMNS, type IntentRow, stateOf } from '#graphql/payments/row.ts'
import {
  AssetRefundType,
  HeldMoneyType,
  LatePayment,
  MintTotalType,
  SettlementType,
  TokenRefund,
} from '#graphql/payments/settlement.ts'
import { isUuid } from '#services/uuid.ts'

export const IntentStatusEnum = builder.enumType('IntentStatus', { values: INTENT_STATUSES })

const ActionEnum = builder.enumType('IntentAction', {
  values: ACTIONS,
  description: 'What to show a buyer. Clients that need the difference read `status`.',
})

/** Lists below an intent are bounded, because anybody may send dust to its address. */
const NEWEST = 100
/** The same in a page of intents, which would multiply them. */
export const NEWEST_IN_PAGE = 20
const BOUNDED = `The newest first, at most ${NEWEST}, and ${NEWEST_IN_PAGE} in a page of payments. For the business only.`

const NEWEST_ENTRIES = `The newest ${NEWEST_SHOWN} entries, oldest first.`
const COUNT = 'The number of all entries; null when all are shown.'
const TOTALS = 'All entries by mint; null when all are shown.'

const totalsOf = ({ listTotals }: Pick<IntentRow, 'listTotals'>): ListTotals =>
  readListTotals(listTotals, 'list_totals')
const mutable = <T>(list: readonly T[] | undefined): T[] | null => (list === undefined ? null : [...list])

const NOBODYS = '00000000-0000-0000-0000-000000000000'

export const PaymentIntentNode = builder.prismaNode('PaymentIntent', {
  description: 'One price in US cents, to be paid at one deposit address within ten minutes.',
  id: { field: 'id' },
  // A global id may name anything; PostgreSQL would fail on what is no UUID, and nobody has this one.
  findUnique: (id) => ({ id: isUuid(id) ? id : NOBODYS }),
  // A missing or foreign node is null, not an error.
  nullable: true,
  select: INTENT_COLUMNS,
  // Resolvers, not t.expose: that would read the row again whenever it is a service that returned it.
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', resolve: (row) => row.id }),
    network: t.field({ type: NetworkEnum, resolve: (row) => row.network }),
    derivationIndex: t.int({
      description: 'Identifies the intent in status polling.',
      resolve: (row) => row.derivationIndex,
    }),
    address: t.field({ type: 'SolanaAddress', resolve: (row) => stateOf(row).address }),
    priceUsdCents: t.field({ type: 'UsdCents', resolve: (row) => makeUsdCents(row.priceUsdCents) }),
    acceptedAssets: t.field({ type: ['Asset'], resolve: (row) => row.acceptedAssets.map(makeAsset) }),
    status: t.field({ type: IntentStatusEnum, resolve: (row) => row.status }),
    reference: t.string({ nullable: true, resolve: (row) => row.reference }),
    expiresAt: t.field({
      type: 'DateTimeISO',
      description: 'The end of the 10-minute window.',
      resolve: (row) => row.expiresAt,
    }),
    createdAt: t.field({ type: 'DateTimeISO', resolve: (row) => row.createdAt }),
    updatedAt: t.field({ type: 'DateTimeISO', resolve: (row) => row.updatedAt }),
    version: t.int({ description: 'Grows with every change.', resolve: (row) => row.version }),
    refundSender: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'The address a refund would go to.',
      resolve: (row) => (row.refundSender === null ? null : makeAddress(row.refundSender)),
    }),
    marketplaceFeeBps: t.int({ nullable: true, resolve: (row) => row.marketplaceFeeBps }),
    customerDetails: t.field({
      type: CustomerDetails,
      nullable: true,
      resolve: ({ customerDetails }) =>
        customerDetails === null ? null : collected(readCustomerDetails(customerDetails, 'customer_details')),
    }),

    asset: t.field({
      type: 'Asset',
      nullable: true,
      description: 'The asset that the buyer chose; null until token selection.',
      resolve: (row) => stateOf(row).selection?.asset ?? null,
    }),
    mint: t.field({
      type: 'SolanaAddress',
      nullable: true,
      description: 'The chosen mint; null for SOL, and until token selection.',
      resolve: (row) => (row.asset === null || row.asset === SOL ? null : makeAddress(row.asset)),
    }),
    mintDecimals: t.int({ nullable: true, resolve: (row) => row.assetDecimals }),
    expectedAmount: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'Base units of the chosen asset; null until token selection.',
      resolve: (row) => stateOf(row).selection?.expected ?? null,
    }),
    receivedAmount: t.field({
      type: 'BaseUnits',
      resolve: (row) => stateOf(row).received,
    }),

    action: t.field({ type: ActionEnum, resolve: (row) => actionOf(stateOf(row)) }),
    message: t.string({
      description: 'Text for people; not to be parsed.',
      resolve: (row) => messageOf(stateOf(row)),
    }),
    paymentUri: t.string({
      nullable: true,
      description: 'Solana Pay link for what is still due, while the intent is pending or underpaid.',
      resolve: (row) => paymentUriOf(stateOf(row)),
    }),
    shortfall: t.field({
      type: 'BaseUnits',
      nullable: true,
      description: 'What is still missing, on an underpaid intent.',
      resolve: (row) => shortfallOf(stateOf(row)),
    }),
    settlement: t.field({
      type: SettlementType,
      nullable: true,
      description: 'What landed where, once swept.',
      resolve: ({ settlement }) => (settlement === null ? null : readSettlement(settlement, 'settlement')),
    }),
    refunds: t.field({
      type: [AssetRefundType],
      description: 'What was paid for the price and goes back, by asset, while `status` says that it does.',
      resolve: (row) => [...listOf(readAssetRefund)(row.refunds, 'refunds')],
    }),
    tokenRefunds: t.field({
      type: [TokenRefund],
      description: `Returns of tokens that were sent by mistake; independent of \`status\`. ${NEWEST_ENTRIES}`,
      resolve: (row) => [...listOf(readTokenRefund)(row.tokenRefunds, 'token_refunds')],
    }),
    tokenRefundsCount: t.int({
      nullable: true,
      description: COUNT,
      resolve: (row) => totalsOf(row).tokenRefunds?.count ?? null,
    }),
    latePayments: t.field({
      type: [LatePayment],
      description: NEWEST_ENTRIES,
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
      description: `What lies at the address until a person decides; the operator can release it. ${NEWEST_ENTRIES}`,
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

    deposits: t.relation('deposits', {
      description: `Money seen arriving. ${BOUNDED}`,
      query: { orderBy: [{ seenAt: 'desc' }, { id: 'desc' }], take: NEWEST },
    }),
    transfers: t.relation('transfers', {
      description: `Money sent out. ${BOUNDED}`,
      query: { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: NEWEST },
    }),
    events: t.relation('events', {
      description: `What happened. ${BOUNDED}`,
      query: { orderBy: { sequence: 'desc' }, take: NEWEST },
    }),
  }),
})
