// A payment as webhooks show it: the REST status object, with every amount as an exact decimal string. docs/contract.md,
// "Events and webhooks".

import { SOL } from '#core/chain/types.ts'
import type { EventSubject } from '#core/events/subjects.ts'
import { formatUnits } from '#core/money/conversion.ts'
import { collected } from '#core/payments/customer-details.ts'
import {
  type ListTotal,
  mintTotalCodec,
  type OrderDetails,
  type RefundAddress,
  type Settlement,
  type SettlementLeg,
} from '#core/payments/intent-values.ts'
import {
  FIELD_NAMES,
  INTENT_FIELDS,
  type IntentField,
  type IntentJson,
  intentFromJson,
  intentToJson,
  type PaymentIntent,
} from '#core/payments/payment-intent.ts'
import { paymentUriOf } from '#core/payments/payment-uri.ts'
import { actionOf, messageOf, settledShortfall, shortfallOf } from '#core/payments/status-view.ts'
import { PAYMENT_SUBJECT } from '#core/payments/transfers.ts'
import { INTENT_EVENT_TYPES } from '#core/payments/transitions.ts'
import { isoText, snakeCase } from '#core/text.ts'

type ByRule = {
  [Name in IntentField]: (typeof INTENT_FIELDS)[Name]['shown'] extends 'by rule' ? Name : never
}[IntentField]

type Shape = Readonly<Record<string, unknown>>

/** What is shown of a field, and of values that are derived from it. */
const RULES: { readonly [Name in ByRule]: (intent: PaymentIntent) => Shape } = {
  /** A price is no amount, and stays an integer. */
  priceUsdCents: ({ priceUsdCents }) => ({ price_usd_cents: Number(priceUsdCents) }),
  selection: ({ selection }) => ({
    mint: selection === null || selection.asset === SOL ? null : selection.asset,
    mint_decimals: selection === null ? null : selection.decimals,
    expected_lamports: selection === null ? null : selection.expected.toString(),
  }),
  received: (intent) => ({
    received_lamports: intent.received.toString(),
    ...unlessEmpty('shortfall_lamports', shortfallOf(intent)?.toString()),
  }),
  status: (intent) => ({
    status: intent.status,
    action: actionOf(intent),
    message: messageOf(intent),
    ...unlessEmpty('payment_uri', paymentUriOf(intent)),
  }),
  customerDetails: ({ customerDetails }) => unlessEmpty('customer_details', collected(customerDetails)),
  orderDetails: ({ orderDetails }) => (orderDetails === null ? {} : orderData(orderDetails)),
  settlement: (intent) => unlessEmpty('settlement', intent.settlement && settlementData(intent, intent.settlement)),
  listTotals: ({ listTotals: { tokenRefunds, latePayments, held } }) => ({
    ...unlessEmpty('token_refunds_count', tokenRefunds?.count),
    ...unlessEmpty('late_payments_count', latePayments?.count),
    ...unlessEmpty('late_payments_totals', latePayments && totalsData(latePayments)),
    ...unlessEmpty('held_count', held?.count),
    ...unlessEmpty('held_totals', held && totalsData(held)),
  }),
  refundAddress: ({ refundAddress }) =>
    unlessEmpty('refund_address', refundAddress && refundAddressData(refundAddress)),
}

/** Returns the `data` of an event of a payment, rendered from the snapshot that was staged with it. */
export function intentEventData(intent: PaymentIntent): Shape {
  const json = intentToJson(intent)
  return Object.assign({}, ...FIELD_NAMES.map((name) => shapeOf(name, intent, json)))
}

function shapeOf(name: IntentField, intent: PaymentIntent, json: IntentJson): Shape {
  const { shown } = INTENT_FIELDS[name]
  switch (shown) {
    case 'always':
      return { [snakeCase(name)]: json[name] }
    case 'unless empty':
      return unlessEmpty(snakeCase(name), json[name])
    case 'by rule':
      return isByRule(name) ? RULES[name](intent) : {}
    case 'never':
      return {}
  }
}

const isByRule = (name: IntentField): name is ByRule => name in RULES

const unlessEmpty = (name: string, value: unknown): Shape =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0) ? {} : { [name]: value }

const totalsData = ({ totals }: ListTotal) => totals.map((total) => mintTotalCodec.write(total))

const refundAddressData = ({ isWanted, proposal }: RefundAddress) => ({
  wanted: isWanted,
  proposal: proposal && {
    address: proposal.address,
    status: proposal.status,
    reason: proposal.reason,
    proposed_at: isoText(proposal.proposedAt),
    decided_at: proposal.decidedAt && isoText(proposal.decidedAt),
  },
})

const orderData = ({ description, lineItems, successUrl, cancelUrl }: OrderDetails): Shape => ({
  ...unlessEmpty('description', description),
  ...unlessEmpty(
    'line_items',
    lineItems.map(({ name, quantity, amountUsdCents }) => ({ name, quantity, amount_usd_cents: amountUsdCents })),
  ),
  ...unlessEmpty('success_url', successUrl),
  ...unlessEmpty('cancel_url', cancelUrl),
})

const settlementData = (intent: PaymentIntent, settlement: Settlement) => ({
  asset: settlement.asset,
  decimals: settlement.decimals,
  destination_amount: settlement.destinationAmount.toString(),
  destination_ui: formatUnits(settlement.destinationAmount, settlement.decimals),
  platform_fee_amount: settlement.platformFeeAmount.toString(),
  platform_fee_ui: formatUnits(settlement.platformFeeAmount, settlement.decimals),
  pending_amount: settlement.pendingAmount.toString(),
  shortfall_amount: settledShortfall(intent)?.toString() ?? null,
  signatures: settlement.signatures,
  legs: settlement.legs.map(legData),
})

const legData = (leg: SettlementLeg) => ({
  role: leg.role,
  destination: leg.destination,
  mint: leg.mint,
  ticker: leg.asset,
  decimals: leg.decimals,
  amount: leg.amount.toString(),
  amount_ui: formatUnits(leg.amount, leg.decimals),
  fee_bps: leg.feeBps,
  signature: leg.signature,
})

export const PAYMENT_EVENTS: EventSubject = {
  kind: PAYMENT_SUBJECT,
  types: INTENT_EVENT_TYPES,
  render: (data) => intentEventData(intentFromJson(data)),
}
