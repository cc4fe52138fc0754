// The Solana Pay link of an intent. Spec: "payment_uri rules".
import { SOL } from '#core/chain/types.ts'
import { formatUnits } from '#core/money/conversion.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { shortfallOf } from '#core/payments/status-view.ts'

type Payable = Pick<PaymentIntent, 'address' | 'status' | 'selection' | 'received' | 'payeeLabel'>

/**
 * What a wallet opens to pay what is still due: the whole amount, or the shortfall of an underpaid intent. Null before
 * token selection, because there is no amount yet, and once nothing more is to be paid.
 */
export function paymentUriOf(intent: Payable): string | null {
  const { selection, status } = intent
  if (selection === null || (status !== 'pending' && status !== 'underpaid')) return null
  const due = shortfallOf(intent) ?? selection.expected
  const token = selection.asset === SOL ? '' : `&spl-token=${selection.asset}`
  return `solana:${intent.address}?amount=${formatUnits(due, selection.decimals)}${token}&label=${encode(intent.payeeLabel)}`
}

/** Percent-encodes with %20 for a space; half of a surrogate pair, which has no UTF-8 form, becomes U+FFFD. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
