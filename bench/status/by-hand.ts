// The baseline of GET /status: an executor without GraphQL, whose one operation calls the service and shapes its answer
// by hand. Everything before it and after it is the service's own.
import { SOL } from '#core/chain/types.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { actionOf, messageOf, shortfallOf } from '#core/payments/status-view.ts'
import type { Caller } from '#graphql/caller.ts'
import { businessOf, contextFor, type Edge } from '#graphql/context.ts'
import type { Executor } from '#graphql/executor.ts'

/** Only GET /status may be asked of it, and only for intents whose buyer left no details and that are not settled. */
export function createStatusByHand(edge: Edge, executor: Executor): Executor {
  const status = async ({ index }: { index: number }, caller: Caller) => ({
    intent: bodyOf(await edge.services.intents.findByIndex(await businessOf(contextFor(edge, caller)), index)),
  })
  return {
    identify: executor.identify,
    count: executor.count,
    beginUpload: executor.beginUpload,
    // biome-ignore lint/suspicious/noExplicitAny: the one operation stands in for every document.
    compile: () => status as any,
  }
}

const exact = (amount: bigint | null) => (amount === null ? null : JSON.rawJSON(amount.toString()))

const bodyOf = (found: PaymentIntent) => ({
  id: found.id,
  derivation_index: found.derivationIndex,
  address: found.address,
  price_usd_cents: Number(found.priceUsdCents),
  mint: found.selection === null || found.selection.asset === SOL ? null : found.selection.asset,
  mint_decimals: found.selection?.decimals ?? null,
  expected_lamports: exact(found.selection?.expected ?? null),
  status: found.status,
  received_lamports: exact(found.received),
  reference: found.reference,
  expires_at: found.expiresAt.toISOString(),
  created_at: found.createdAt.toISOString(),
  updated_at: found.updatedAt.toISOString(),
  refund_sender: found.refundSender,
  marketplace_fee_bps: found.marketplaceFeeBps,
  customer_details: null,
  action: actionOf(found),
  message: messageOf(found),
  payment_uri: paymentUriOf(found),
  shortfall_lamports: exact(shortfallOf(found)),
  settlement: null,
  refunds: found.refunds,
  token_refunds: found.tokenRefunds,
  late_payments: found.latePayments,
  held: found.held,
})
