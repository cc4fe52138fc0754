// The exports of a business: its payments, the legs of their settlements, the charges of its subscriptions, and its events.
import type { Cell } from '#http/csv.ts'
import type { Endpoint } from '#http/endpoint.ts'
import {
  type ExportedChargeFragment,
  type ExportedEventFragment,
  type ExportedPaymentFragment,
  type ExportedSellerFragment,
  type ExportedSettlementFragment,
  RestExportChargesDocument,
  RestExportEventsDocument,
  RestExportPaymentsDocument,
  RestExportSellerPaymentsDocument,
  RestExportSellerSettlementsDocument,
  RestExportSettlementsDocument,
} from '#rest/documents.generated.ts'
import {
  exportEndpoint,
  listBySeller,
  listOfEvents,
  listOnBehalf,
  paymentsInput,
  rangeInput,
} from '#rest/exports/export.ts'

const SELLER = ['seller_id', 'seller_name', 'seller_external_id'] as const
const sellerCells = ({ seller }: ExportedSellerFragment): readonly Cell[] => [
  seller?.id ?? null,
  seller?.name ?? null,
  seller?.external_id ?? null,
]

/** Returns dollars with two decimals, exactly. */
const dollars = (cents: number): string => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

export const exportEndpoints: readonly Endpoint[] = [
  exportEndpoint({
    path: '/exports/payments.csv',
    list: listBySeller(RestExportPaymentsDocument, RestExportSellerPaymentsDocument),
    input: paymentsInput,
    columns: [
      ...['id', 'derivation_index', 'created_at', 'updated_at', 'status', 'reference', 'price_usd'],
      ...['ticker', 'mint', 'decimals', 'expected_amount', 'received_amount', 'address', 'refund_sender'],
      ...['marketplace_fee_bps', ...SELLER, 'first_name', 'last_name', 'email', 'description', 'metadata'],
    ],
    records: (payment: ExportedPaymentFragment) => [
      [
        ...[payment.id, payment.derivation_index, payment.created_at, payment.updated_at, payment.status],
        ...[payment.reference, dollars(payment.price_usd_cents), payment.ticker, payment.mint, payment.decimals],
        ...[payment.expected_amount, payment.received_amount, payment.address, payment.refund_sender],
        ...[payment.marketplace_fee_bps, ...sellerCells(payment), payment.customer_details?.first_name ?? null],
        ...[payment.customer_details?.last_name ?? null, payment.customer_details?.email ?? null],
        ...[payment.description, payment.metadata && JSON.stringify(payment.metadata)],
      ],
    ],
  }),
  exportEndpoint({
    path: '/exports/settlements.csv',
    list: listBySeller(RestExportSettlementsDocument, RestExportSellerSettlementsDocument),
    input: paymentsInput,
    columns: [
      ...['payment_id', 'derivation_index', 'created_at', 'status', 'reference', ...SELLER, 'role', 'destination'],
      ...['ticker', 'mint', 'decimals', 'amount', 'whole_amount', 'usd', 'signature'],
    ],
    records: (payment: ExportedSettlementFragment) =>
      payment.legs.map((leg) => [
        ...[payment.id, payment.derivation_index, payment.created_at, payment.status, payment.reference],
        ...[...sellerCells(payment), leg.role, leg.destination, leg.ticker, leg.mint, leg.decimals],
        ...[leg.amount, leg.whole_amount, leg.usd, leg.signature],
      ]),
  }),
  exportEndpoint({
    path: '/exports/charges.csv',
    list: listOnBehalf(RestExportChargesDocument),
    input: rangeInput,
    columns: [
      ...[
        'id',
        'subscription_id',
        'period_index',
        'created_at',
        'settled_at',
        'status',
        'mint',
        'amount',
        'fee_amount',
      ],
      ...['net_amount', 'destination_ata', 'fee_destination', 'attempts', 'failure_code', 'signature'],
    ],
    records: (charge: ExportedChargeFragment) => [
      [
        ...[
          charge.id,
          charge.subscription_id,
          charge.period_index,
          charge.created_at,
          charge.settled_at,
          charge.status,
        ],
        ...[charge.mint, charge.amount, charge.fee_amount, charge.net_amount, charge.destination_ata],
        ...[charge.fee_destination, charge.attempts, charge.failure_code, charge.signature],
      ],
    ],
  }),
  exportEndpoint({
    path: '/exports/events.csv',
    list: listOfEvents(RestExportEventsDocument),
    input: rangeInput,
    columns: [
      ...['id', 'type', 'timestamp', 'livemode', 'account_id', 'account_name', 'is_seller', 'external_id'],
      ...['version', 'data'],
    ],
    records: ({ account, ...event }: ExportedEventFragment) => [
      [
        ...[event.id, event.type, event.timestamp, String(event.livemode), account.id, account.name],
        ...[String(account.is_seller), account.external_id, event.version, JSON.stringify(event.data)],
      ],
    ],
  }),
]
