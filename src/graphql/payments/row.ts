// An intent as plugin-prisma knows it, a row, made from what a service returned; and back, as far as a field needs.
import { Prisma } from '#adapters/prisma/generated/client.ts'
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import type { Jsonified } from '#core/json.ts'
import { type BaseUnits, makeBaseUnits } from '#core/money/amounts.ts'
import {
  assetRefundToJson,
  heldMoneyToJson,
  latePaymentToJson,
  listTotalsToJson,
  settlementToJson,
  tokenRefundToJson,
} from '#core/payments/codec.ts'
import type { ListTotals, PaymentIntent, Refund, Selection, Settlement } from '#core/payments/payment-intent.ts'

/** Every column that a field reads. The hash of the client secret is not one of them, so it is never even loaded. */
export const INTENT_COLUMNS = {
  id: true,
  network: true,
  accountId: true,
  callerAccountId: true,
  derivationIndex: true,
  address: true,
  priceUsdCents: true,
  acceptedAssets: true,
  asset: true,
  assetDecimals: true,
  expectedAmount: true,
  receivedAmount: true,
  status: true,
  statusReason: true,
  reference: true,
  expiresAt: true,
  refundSender: true,
  marketplaceFeeBps: true,
  payeeLabel: true,
  customerDetails: true,
  settlement: true,
  refunds: true,
  tokenRefunds: true,
  latePayments: true,
  held: true,
  listTotals: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const satisfies Prisma.PaymentIntentSelect

export type IntentRow = Prisma.PaymentIntentGetPayload<{ select: typeof INTENT_COLUMNS }>

const decimal = (amount: bigint) => new Prisma.Decimal(amount.toString())
const unitsOf = (value: Prisma.Decimal): BaseUnits => makeBaseUnits(value.toFixed(0))

/** Total: every intent that a service can return has a row. */
export function rowOf(intent: PaymentIntent): IntentRow {
  const row = columnsOf(intent)
  states.set(row, intent)
  return row
}

const columnsOf = (intent: PaymentIntent): IntentRow => ({
  id: intent.id,
  network: intent.network,
  accountId: intent.accountId,
  callerAccountId: intent.callerAccountId,
  derivationIndex: intent.derivationIndex,
  address: intent.address,
  priceUsdCents: intent.priceUsdCents,
  acceptedAssets: [...intent.acceptedAssets],
  asset: intent.selection?.asset ?? null,
  assetDecimals: intent.selection?.decimals ?? null,
  expectedAmount: intent.selection && decimal(intent.selection.expected),
  receivedAmount: decimal(intent.received),
  status: intent.status,
  statusReason: intent.statusReason,
  reference: intent.reference,
  expiresAt: intent.expiresAt,
  refundSender: intent.refundSender,
  marketplaceFeeBps: intent.marketplaceFeeBps,
  payeeLabel: intent.payeeLabel,
  customerDetails: intent.customerDetails && { ...intent.customerDetails },
  settlement: intent.settlement && settlementColumn(intent.settlement),
  refunds: intent.refunds.map(assetRefundToJson).map(refundColumn),
  tokenRefunds: intent.tokenRefunds.map(tokenRefundToJson).map(withRefundColumn),
  latePayments: intent.latePayments.map(latePaymentToJson).map(withRefundColumn),
  held: intent.held.map(heldMoneyToJson),
  listTotals: listTotalsColumn(intent.listTotals),
  version: intent.version,
  createdAt: intent.createdAt,
  updatedAt: intent.updatedAt,
})

// A column's type has no readonly lists.
const refundColumn = <T extends Jsonified<Refund>>(refund: T) => ({ ...refund, signatures: [...refund.signatures] })

const withRefundColumn = <T extends { readonly refund: Jsonified<Refund> | null }>(entry: T) => ({
  ...entry,
  refund: entry.refund && refundColumn(entry.refund),
})

function listTotalsColumn(listTotals: ListTotals) {
  const { tokenRefunds, latePayments, held } = listTotalsToJson(listTotals)
  const column = (total: typeof held) => total && { count: total.count, totals: [...total.totals] }
  return { tokenRefunds: column(tokenRefunds), latePayments: column(latePayments), held: column(held) }
}

function settlementColumn(settlement: Settlement) {
  const { signatures, legs, ...figures } = settlementToJson(settlement)
  return { ...figures, signatures: [...signatures], legs: [...legs] }
}

/** The part of an intent that its status, amounts, message and payment link are told from. */
export type PaymentState = Pick<
  PaymentIntent,
  'address' | 'status' | 'statusReason' | 'selection' | 'received' | 'payeeLabel'
>

/** Kept beside each row for as long as the row lives, because a status asks for it once a field. */
const states = new WeakMap<IntentRow, PaymentState>()

export function stateOf(row: IntentRow): PaymentState {
  const known = states.get(row)
  if (known !== undefined) return known
  const read = {
    address: makeAddress(row.address),
    status: row.status,
    statusReason: row.statusReason,
    selection: selectionOf(row),
    received: unitsOf(row.receivedAmount),
    payeeLabel: row.payeeLabel,
  }
  states.set(row, read)
  return read
}

function selectionOf(row: IntentRow): Selection | null {
  if (row.asset === null || row.assetDecimals === null || row.expectedAmount === null) return null
  return { asset: makeAsset(row.asset), decimals: row.assetDecimals, expected: unitsOf(row.expectedAmount) }
}
