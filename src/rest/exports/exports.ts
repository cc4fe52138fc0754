// The exports of a business: its payments, and the legs of their settlements.
import type { Cell } from '#http/csv.ts'
import type { Endpoint } from '#http/endpoint.ts'
import {
  type ExportedSellerFragment,
  RestExportPaymentsDocument,
  RestExportSellerPaymentsDocument,
  RestExportSellerSettlementsDocument,
  RestExportSettlementsDocument,
} from '#rest/documents.generated.ts'
import { exportEndpoint } from '#rest/exports/export.ts'

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
    all: RestExportPaymentsDocument,
    ofSeller: RestExportSellerPaymentsDocument,
    columns: [
      ...['id', 'derivation_index', 'created_at', 'updated_at', 'status', 'reference', 'price_usd'],
      ...['ticker', 'mint', 'decimals', 'expected_amount', 'received_amount', 'address', 'refund_sender'],
      ...['marketplace_fee_bps', ...SELLER, 'first_name', 'last_name', 'email', 'description', 'metadata'],
    ],
    records: (payment) => [
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
    all: RestExportSettlementsDocument,
    ofSeller: RestExportSellerSettlementsDocument,
    columns: [
      ...['payment_id', 'derivation_index', 'created_at', 'status', 'reference', ...SELLER, 'role', 'destination'],
      ...['ticker', 'mint', 'decimals', 'amount', 'whole_amount', 'usd', 'signature'],
    ],
    records: (payment) =>
      payment.legs.map((leg) => [
        ...[payment.id, payment.derivation_index, payment.created_at, payment.status, payment.reference],
        ...[...sellerCells(payment), leg.role, leg.destination, leg.ticker, leg.mint, leg.decimals],
        ...[leg.amount, leg.whole_amount, leg.usd, leg.signature],
      ]),
  }),
]
