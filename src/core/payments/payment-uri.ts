// The Solana Pay link of an intent. Spec: "payment_uri rules".
import { SOL } from '#core/chain/types.ts'
import { formatUnits } from '#core/money/conversion.ts'
import { dueOf } from '#core/payments/due.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

type Payable = Pick<PaymentIntent, 'address' | 'status' | 'selection' | 'received' | 'payeeLabel'>

/** Returns what a wallet opens to pay what is due. Null while nothing is. */
export function paymentUriOf(intent: Payable): string | null {
  const due = dueOf(intent)
  if (due === null) return null
  const token = due.asset === SOL ? '' : `&spl-token=${due.asset}`
  return `solana:${intent.address}?amount=${formatUnits(due.amount, due.decimals)}${token}&label=${encode(intent.payeeLabel)}`
}

/** Percent-encodes with %20 for a space; half of a surrogate pair, which has no UTF-8 form, becomes U+FFFD. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
