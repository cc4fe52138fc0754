// What a status response adds to the intent itself. Spec: "Status response".

import { WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { type BaseUnits, subtract, subtractToZero } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import { coversPrice, type IntentStatus, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import type { Token } from '#core/tokens/token.ts'

export const ACTIONS = [
  'waiting',
  'underpaid',
  'paid',
  'overpaid',
  'swept',
  'refunding',
  'refunded',
  'cancelled',
  'refund_failed',
] as const
export type Action = (typeof ACTIONS)[number]

type Paid = Pick<PaymentIntent, 'status' | 'selection' | 'received'>

/**
 * Returns the status as it is displayed: settlement that is still under way, or stuck, is `paid` (or `overpaid`) to the buyer.
 */
export function actionOf(intent: Paid): Action {
  switch (intent.status) {
    case 'pending':
      return 'waiting'
    case 'settling':
    case 'settle_failed':
      return isOverpaid(intent) ? 'overpaid' : 'paid'
    case 'underpaid':
    case 'paid':
    case 'overpaid':
    case 'swept':
    case 'refunding':
    case 'refunded':
    case 'cancelled':
    case 'refund_failed':
      return intent.status
  }
}

const isOverpaid = ({ selection, received }: Paid): boolean => selection !== null && received > selection.expected

/** Returns what is still missing, in base units of the selected asset; null unless underpaid. */
export function shortfallOf(intent: Paid): BaseUnits | null {
  if (intent.status !== 'underpaid' || intent.selection === null) return null
  return subtractToZero(intent.selection.expected, intent.received)
}

/**
 * Returns how much less than the price has settled, in base units: what its business tolerated, or what a sweep on demand did without.
 * Null when nothing is missing, and before the settlement.
 */
export function settledShortfall({
  status,
  settlement,
  selection,
  received,
}: Paid & Pick<PaymentIntent, 'settlement'>): BaseUnits | null {
  // The money of a payment that ended otherwise may have gone back in part.
  if (!STATUS_POLICY[status].isPaid) return null
  if (settlement === null || selection === null || received >= selection.expected) return null
  return subtract(selection.expected, received)
}

const MESSAGES: Readonly<Record<IntentStatus, string>> = {
  pending: 'Waiting for payment.',
  underpaid: 'Part of the payment has arrived.',
  paid: 'Payment received. Settlement is starting.',
  overpaid: 'Payment received, and more than the price.',
  settling: 'Payment received. It is on its way to the business.',
  swept: 'Paid and settled.',
  refunding: 'The payment is being returned.',
  refunded: 'The payment was returned.',
  cancelled: 'This payment was cancelled.',
  settle_failed: 'Payment received. Settlement needs attention from the business.',
  refund_failed: 'The payment could not be returned automatically. Please contact the business.',
}

/** Where part of the price is missing: an underpayment, and one that the business sweeps all the same. */
const PARTIAL_MESSAGES: Readonly<Partial<Record<IntentStatus, string>>> = {
  underpaid: 'Part of the payment has arrived.',
  settling: 'Part of the payment was received. It is on its way to the business.',
  swept: 'Part of the payment was received and settled.',
  settle_failed: 'Part of the payment was received. Settlement needs attention from the business.',
}

type Explained = Paid & Pick<PaymentIntent, 'statusReason' | 'settlement' | 'underpaymentToleranceBps'>

/** Returns a text for people; not to be parsed. */
export function messageOf(intent: Explained): string {
  if (intent.status === 'pending' && intent.selection === null) return 'Waiting for the buyer to choose how to pay.'
  // Without a reason nothing is left that could go back.
  if (intent.status === 'refund_failed' && intent.settlement !== null && intent.statusReason === null)
    return SETTLED_INSTEAD
  const message = partialMessageOf(intent) ?? MESSAGES[intent.status]
  return [message, intent.statusReason, addition(intent)].filter((sentence) => sentence !== null).join(' ')
}

/** Returns what people have to know besides the status and its reason. */
function addition({
  status,
  statusReason,
  settlement,
}: Pick<PaymentIntent, 'status' | 'statusReason' | 'settlement'>): string | null {
  if (status === 'overpaid' && statusReason === null) return EXCESS_GOES_BACK
  return (status === 'cancelled' || status === 'refunded') && settlement !== null ? SETTLED_LATER : null
}

/** Money that cannot go back leaves an ended payment as it is, and the business can sweep it. */
const SETTLED_LATER = 'The business settled money that was paid after that.'

const SETTLED_INSTEAD =
  'The payment could not be returned automatically. The business settled the money that it received.'

const EXCESS_GOES_BACK = 'The excess goes back to the wallets that sent it, where that is possible.'

function partialMessageOf(intent: Explained): string | null {
  const { status, selection, received } = intent
  const message = PARTIAL_MESSAGES[status]
  if (message === undefined || selection === null || coversPrice(intent)) return null
  const missing = formatUnits(subtractToZero(selection.expected, received), selection.decimals)
  return `${message} ${status === 'underpaid' ? 'Still missing' : 'Missing'}: ${missing}.`
}

type Named = Pick<PaymentIntent, 'selection' | 'refunds' | 'tokenRefunds' | 'latePayments' | 'held'>

/** Returns the token that was selected, and the tokens of money that is returned or held. */
export function namedTokens<T extends Pick<Token, 'asset' | 'mint'>>(intent: Named, known: readonly T[]): readonly T[] {
  const { selection, refunds, tokenRefunds, latePayments, held } = intent
  const entries = [...refunds, ...tokenRefunds, ...latePayments, ...held]
  const mints = new Set(entries.map(({ mint }) => mint ?? WRAPPED_SOL_MINT))
  return known.filter(({ asset, mint }) => asset === selection?.asset || mints.has(mint))
}
