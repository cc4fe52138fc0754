// The Solana Pay link of an intent. Spec: "payment_uri rules".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { shortfallOf } from '#core/payments/status-view.ts'

type Payable = Pick<PaymentIntent, 'address' | 'status' | 'selection' | 'received' | 'payeeLabel'>

/** Returns what a wallet opens to pay what is due. Null while nothing is. */
export function paymentUriOf(intent: Payable): string | null {
  const due = dueOf(intent)
  if (due === null) return null
  return `${transferUri(intent.address, due)}&label=${encodedLabel(intent.payeeLabel)}`
}

/** Returns the link of a transfer, to which parameters can be added. */
export const transferUri = (recipient: Address, { asset, amount, decimals }: Due): string =>
  `solana:${recipient}?amount=${formatUnits(amount, decimals)}${asset === SOL ? '' : `&spl-token=${asset}`}`

/**
 * The longest label, in bytes of the link. A link of a token then has at most 287 bytes: its QR code has 65 modules on a side,
 * and each of them has 4 pixels on the screen of a phone.
 */
const MAX_LABEL = 145
const ELLIPSIS = encodeURIComponent('…')
const GRAPHEMES = new Intl.Segmenter('en')

/**
 * Returns a label percent-encoded, with %20 for a space. A label that is too long ends with an ellipsis after a whole grapheme.
 * Half of a surrogate pair, which has no UTF-8 form, becomes U+FFFD.
 */
export function encodedLabel(label: string): string {
  const text = label.toWellFormed()
  const encoded = encodeURIComponent(text)
  if (encoded.length <= MAX_LABEL) return encoded
  const graphemes = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment)
  // One grapheme may be longer than the label: a letter can have any number of marks.
  return `${beginning(graphemes) || beginning([...text])}${ELLIPSIS}`
}

/** Returns the encoded parts that fit before the ellipsis. */
function beginning(parts: readonly string[]): string {
  let text = ''
  for (const part of parts.map(encodeURIComponent)) {
    if (text.length + part.length + ELLIPSIS.length > MAX_LABEL) break
    text += part
  }
  return text
}

/** `amount` is in base units of the asset, which has `decimals` decimals. */
export type Due = { readonly asset: Asset; readonly decimals: number; readonly amount: BaseUnits }

/**
 * Returns the whole amount, or the shortfall of an underpaid payment. Null before token selection, because there is no
 * amount yet, and once nothing more is to be paid.
 */
export function dueOf(intent: Pick<PaymentIntent, 'status' | 'selection' | 'received'>): Due | null {
  const { selection, status } = intent
  if (selection === null || !STATUS_POLICY[status].canExpire) return null
  return { ...selection, amount: shortfallOf(intent) ?? selection.expected }
}
