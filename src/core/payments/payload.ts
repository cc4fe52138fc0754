// An intent as webhooks carry it: the REST status object, with every amount as an exact decimal string. docs/contract.md,
// "Events and webhooks".
import { SOL } from '#core/chain/types.ts'
import { formatUnits } from '#core/money/conversion.ts'
import {
  assetRefundToJson,
  heldMoneyToJson,
  latePaymentToJson,
  mintTotalToJson,
  tokenRefundToJson,
} from '#core/payments/codec.ts'
import { collected } from '#core/payments/customer-details.ts'
import type { PaymentIntent, Settlement, SettlementLeg } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { actionOf, messageOf, shortfallOf } from '#core/payments/status-view.ts'

/**
 * The `data` of an intent's event, rendered from the snapshot that was staged with it. Fields that REST omits are
 * omitted here too; `price_usd_cents` is a price and not an amount, and stays an integer.
 */
export function intentEventData(intent: PaymentIntent) {
  const shortfall = shortfallOf(intent)
  const paymentUri = paymentUriOf(intent)
  const customer = collected(intent.customerDetails)
  const { selection, settlement, refunds, tokenRefunds, latePayments, held, listTotals } = intent
  return {
    id: intent.id,
    derivation_index: intent.derivationIndex,
    address: intent.address,
    price_usd_cents: Number(intent.priceUsdCents),
    mint: selection === null || selection.asset === SOL ? null : selection.asset,
    mint_decimals: selection === null ? null : selection.decimals,
    expected_lamports: selection === null ? null : selection.expected.toString(),
    received_lamports: intent.received.toString(),
    ...(shortfall !== null && { shortfall_lamports: shortfall.toString() }),
    status: intent.status,
    action: actionOf(intent),
    message: messageOf(intent),
    ...(paymentUri !== null && { payment_uri: paymentUri }),
    reference: intent.reference,
    refund_sender: intent.refundSender,
    ...(intent.marketplaceFeeBps !== null && { marketplace_fee_bps: intent.marketplaceFeeBps }),
    ...(customer !== null && { customer_details: customer }),
    ...(settlement !== null && { settlement: settlementData(settlement) }),
    ...(refunds.length > 0 && { refunds: refunds.map(assetRefundToJson) }),
    ...(tokenRefunds.length > 0 && { token_refunds: tokenRefunds.map(tokenRefundToJson) }),
    ...(listTotals.tokenRefunds !== null && { token_refunds_count: listTotals.tokenRefunds.count }),
    ...(latePayments.length > 0 && { late_payments: latePayments.map(latePaymentToJson) }),
    ...(listTotals.latePayments !== null && {
      late_payments_count: listTotals.latePayments.count,
      late_payments_totals: listTotals.latePayments.totals.map(mintTotalToJson),
    }),
    ...(held.length > 0 && { held: held.map(heldMoneyToJson) }),
    ...(listTotals.held !== null && {
      held_count: listTotals.held.count,
      held_totals: listTotals.held.totals.map(mintTotalToJson),
    }),
    expires_at: intent.expiresAt.toISOString(),
    created_at: intent.createdAt.toISOString(),
    updated_at: intent.updatedAt.toISOString(),
    version: intent.version,
  }
}

const settlementData = (settlement: Settlement) => ({
  asset: settlement.asset,
  decimals: settlement.decimals,
  destination_amount: settlement.destinationAmount.toString(),
  destination_ui: formatUnits(settlement.destinationAmount, settlement.decimals),
  platform_fee_amount: settlement.platformFeeAmount.toString(),
  platform_fee_ui: formatUnits(settlement.platformFeeAmount, settlement.decimals),
  pending_amount: settlement.pendingAmount.toString(),
  signatures: settlement.signatures,
  legs: settlement.legs.map(legData),
})

const legData = (leg: SettlementLeg) => ({
  role: leg.role,
  destination: leg.destination,
  mint: leg.mint,
  asset: leg.asset,
  decimals: leg.decimals,
  amount: leg.amount.toString(),
  amount_ui: formatUnits(leg.amount, leg.decimals),
  fee_bps: leg.feeBps,
  signature: leg.signature,
})
