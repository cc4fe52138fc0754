// How a search finds a payment for a seller: a case-insensitive substring of the reference, or of the name or the email of
// the buyer. Spec: GET /marketplace/payments.
import { searchPartsOf, searchTextOf } from '#core/marketplace/search.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

/** The longest search, in characters: a longer one finds nothing that a shorter one would miss. */
export const MAX_SEARCH = 100

export type SearchEntry = { readonly text: string; readonly parts: readonly string[] }

/** Returns the text of a payment that is searched, and its parts. First and last name are one text. */
export function searchEntryOf({
  reference,
  customerDetails,
}: Pick<PaymentIntent, 'reference' | 'customerDetails'>): SearchEntry {
  const { first_name, last_name, email } = customerDetails ?? {}
  const names = [first_name, last_name].filter((name) => name !== undefined)
  const text = searchTextOf([reference, names.length === 0 ? null : names.join(' '), email ?? null])
  return { text, parts: searchPartsOf(text) }
}
