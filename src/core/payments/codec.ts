// An intent as it is kept inside an event: the whole of it, as JSON with exact decimal strings, and back again.

import { isAddress, isAsset, isSignature } from '#core/chain/base58.ts'
import { NETWORKS } from '#core/chain/types.ts'
import {
  amount,
  checked,
  date,
  fieldsOf,
  integer,
  isRecord,
  type Jsonified,
  listOf,
  nullable,
  oneOf,
  orElse,
  type Read,
  string,
} from '#core/json.ts'
import { isBaseUnits, isBasisPoints, isUsdCents, ZERO } from '#core/money/amounts.ts'
import {
  type AssetRefund,
  type CustomerDetails,
  type HeldMoney,
  INTENT_STATUSES,
  LATE_PAYMENT_STATUSES,
  type LatePayment,
  type ListTotal,
  type ListTotals,
  type MintTotal,
  type PaymentIntent,
  type Refund,
  type Selection,
  type Settlement,
  type SettlementLeg,
  TOKEN_REFUND_STATUSES,
  type TokenRefund,
} from '#core/payments/payment-intent.ts'
import { SHOWN_WHOLE } from '#core/payments/returns/newest.ts'
import { LEG_ROLES } from '#core/payments/transfers.ts'

/** A PaymentIntent with amounts as decimal digits and dates as ISO 8601. */
export type IntentJson = Jsonified<PaymentIntent>

/** Names each field, so that a new one which is forgotten here does not compile. */
export const intentToJson = (intent: PaymentIntent): IntentJson => ({
  id: intent.id,
  network: intent.network,
  accountId: intent.accountId,
  callerAccountId: intent.callerAccountId,
  derivationIndex: intent.derivationIndex,
  address: intent.address,
  priceUsdCents: intent.priceUsdCents.toString(),
  acceptedAssets: intent.acceptedAssets,
  selection: intent.selection && {
    asset: intent.selection.asset,
    decimals: intent.selection.decimals,
    expected: intent.selection.expected.toString(),
  },
  received: intent.received.toString(),
  status: intent.status,
  statusReason: intent.statusReason,
  reference: intent.reference,
  expiresAt: intent.expiresAt.toISOString(),
  refundSender: intent.refundSender,
  marketplaceFeeBps: intent.marketplaceFeeBps,
  payeeLabel: intent.payeeLabel,
  customerDetails: intent.customerDetails,
  settlement: intent.settlement && settlementToJson(intent.settlement),
  refunds: intent.refunds.map(assetRefundToJson),
  tokenRefunds: intent.tokenRefunds.map(tokenRefundToJson),
  latePayments: intent.latePayments.map(latePaymentToJson),
  held: intent.held.map(heldMoneyToJson),
  listTotals: listTotalsToJson(intent.listTotals),
  version: intent.version,
  createdAt: intent.createdAt.toISOString(),
  updatedAt: intent.updatedAt.toISOString(),
})

export const settlementToJson = (settlement: Settlement): Jsonified<Settlement> => ({
  asset: settlement.asset,
  decimals: settlement.decimals,
  destinationAmount: settlement.destinationAmount.toString(),
  platformFeeAmount: settlement.platformFeeAmount.toString(),
  pendingAmount: settlement.pendingAmount.toString(),
  signatures: settlement.signatures,
  legs: settlement.legs.map((leg) => ({
    role: leg.role,
    destination: leg.destination,
    mint: leg.mint,
    asset: leg.asset,
    decimals: leg.decimals,
    amount: leg.amount.toString(),
    feeBps: leg.feeBps,
    signature: leg.signature,
  })),
})

const refundToJson = ({ amount, signatures }: Refund): Jsonified<Refund> => ({ amount: amount.toString(), signatures })

export const assetRefundToJson = ({ mint, ...refund }: AssetRefund): Jsonified<AssetRefund> => ({
  mint,
  ...refundToJson(refund),
})

export const tokenRefundToJson = ({ mint, status, amount, refund }: TokenRefund): Jsonified<TokenRefund> => ({
  mint,
  status,
  amount: amount.toString(),
  refund: refund && refundToJson(refund),
})

export const mintTotalToJson = ({ mint, amount, count }: MintTotal): Jsonified<MintTotal> => ({
  mint,
  amount: amount.toString(),
  count,
})

const listTotalToJson = ({ count, totals }: ListTotal): Jsonified<ListTotal> => ({
  count,
  totals: totals.map(mintTotalToJson),
})

export const listTotalsToJson = ({ tokenRefunds, latePayments, held }: ListTotals): Jsonified<ListTotals> => ({
  tokenRefunds: tokenRefunds && listTotalToJson(tokenRefunds),
  latePayments: latePayments && listTotalToJson(latePayments),
  held: held && listTotalToJson(held),
})

export const latePaymentToJson = (late: LatePayment): Jsonified<LatePayment> => ({
  mint: late.mint,
  amount: late.amount.toString(),
  status: late.status,
  signature: late.signature,
  count: late.count,
  refund: late.refund && refundToJson(late.refund),
})

export const heldMoneyToJson = ({ mint, amount, reason }: HeldMoney): Jsonified<HeldMoney> => ({
  mint,
  amount: amount.toString(),
  reason,
})

const address = checked(isAddress)
const asset = checked(isAsset)
const signature = checked(isSignature)
const units = amount(isBaseUnits)

/** Takes parsed JSON back to the intent; throws RangeError, naming the field, on anything `intentToJson` did not write. */
export function intentFromJson(json: unknown): PaymentIntent {
  const field = fieldsOf(json, 'intent')
  return {
    id: field('id', string),
    network: field('network', oneOf(NETWORKS)),
    accountId: field('accountId', string),
    callerAccountId: field('callerAccountId', string),
    derivationIndex: field('derivationIndex', integer),
    address: field('address', address),
    priceUsdCents: field('priceUsdCents', amount(isUsdCents)),
    acceptedAssets: field('acceptedAssets', listOf(asset)),
    selection: field('selection', nullable(readSelection)),
    received: field('received', units),
    status: field('status', oneOf(INTENT_STATUSES)),
    statusReason: field('statusReason', nullable(string)),
    reference: field('reference', nullable(string)),
    expiresAt: field('expiresAt', date),
    refundSender: field('refundSender', nullable(address)),
    marketplaceFeeBps: field('marketplaceFeeBps', nullable(checked(isBasisPoints))),
    payeeLabel: field('payeeLabel', string),
    customerDetails: field('customerDetails', nullable(readCustomerDetails)),
    settlement: field('settlement', nullable(readSettlement)),
    // Events that were stored before these fields existed have none of `refunds`, `held` and `listTotals`.
    refunds: field('refunds', orElse(listOf(readAssetRefund), [])),
    tokenRefunds: field('tokenRefunds', listOf(readTokenRefund)),
    latePayments: field('latePayments', listOf(readLatePayment)),
    held: field('held', orElse(listOf(readHeldMoney), [])),
    listTotals: field('listTotals', orElse(readListTotals, SHOWN_WHOLE)),
    version: field('version', integer),
    createdAt: field('createdAt', date),
    updatedAt: field('updatedAt', date),
  }
}

const readSelection: Read<Selection> = (value, path) => {
  const field = fieldsOf(value, path)
  return { asset: field('asset', asset), decimals: field('decimals', integer), expected: field('expected', units) }
}

export const readSettlement: Read<Settlement> = (value, path) => {
  const field = fieldsOf(value, path)
  return {
    asset: field('asset', string),
    decimals: field('decimals', integer),
    destinationAmount: field('destinationAmount', units),
    platformFeeAmount: field('platformFeeAmount', units),
    // Settlements from before this field have none.
    pendingAmount: field('pendingAmount', (value, path) => (value === undefined ? ZERO : units(value, path))),
    signatures: field('signatures', listOf(signature)),
    legs: field('legs', listOf(readLeg)),
  }
}

const readLeg: Read<SettlementLeg> = (value, path) => {
  const field = fieldsOf(value, path)
  return {
    role: field('role', oneOf(LEG_ROLES)),
    destination: field('destination', address),
    mint: field('mint', nullable(address)),
    asset: field('asset', string),
    decimals: field('decimals', integer),
    amount: field('amount', units),
    feeBps: field('feeBps', nullable(integer)),
    signature: field('signature', signature),
  }
}

const readRefund: Read<Refund> = (value, path) => {
  const field = fieldsOf(value, path)
  return { amount: field('amount', units), signatures: field('signatures', listOf(signature)) }
}

export const readAssetRefund: Read<AssetRefund> = (value, path) => ({
  mint: fieldsOf(value, path)('mint', nullable(string)),
  ...readRefund(value, path),
})

/** Entries that were stored before amounts and refunds were told have neither; the next change of the intent adds them. */
export const readTokenRefund: Read<TokenRefund> = (value, path) => {
  const field = fieldsOf(value, path)
  return {
    mint: field('mint', string),
    status: field('status', oneOf(TOKEN_REFUND_STATUSES)),
    amount: field('amount', orElse(units, ZERO)),
    refund: field('refund', orElse(nullable(readRefund), null)),
  }
}

export const readLatePayment: Read<LatePayment> = (value, path) => {
  const field = fieldsOf(value, path)
  return {
    mint: field('mint', nullable(string)),
    amount: field('amount', units),
    status: field('status', oneOf(LATE_PAYMENT_STATUSES)),
    signature: field('signature', signature),
    count: field('count', orElse(integer, 1)),
    refund: field('refund', orElse(nullable(readRefund), null)),
  }
}

const readMintTotal: Read<MintTotal> = (value, path) => {
  const field = fieldsOf(value, path)
  return { mint: field('mint', nullable(string)), amount: field('amount', units), count: field('count', integer) }
}

const readListTotal: Read<ListTotal> = (value, path) => {
  const field = fieldsOf(value, path)
  return { count: field('count', integer), totals: field('totals', listOf(readMintTotal)) }
}

export const readListTotals: Read<ListTotals> = (value, path) => {
  const field = fieldsOf(value, path)
  return {
    tokenRefunds: field('tokenRefunds', orElse(nullable(readListTotal), null)),
    latePayments: field('latePayments', orElse(nullable(readListTotal), null)),
    held: field('held', orElse(nullable(readListTotal), null)),
  }
}

export const readHeldMoney: Read<HeldMoney> = (value, path) => {
  const field = fieldsOf(value, path)
  return {
    mint: field('mint', nullable(string)),
    amount: field('amount', units),
    reason: field('reason', string),
  }
}

const isOptionalText = (value: unknown): boolean => value === undefined || typeof value === 'string'

const isCustomerDetails = (value: unknown): value is CustomerDetails =>
  isRecord(value) &&
  ['first_name', 'last_name', 'email'].every((name) => isOptionalText(value[name])) &&
  (value.address === undefined || (isRecord(value.address) && Object.values(value.address).every(isOptionalText)))

export const readCustomerDetails: Read<CustomerDetails> = checked(isCustomerDetails)
