// How a search finds a payment: a case-insensitive substring of the reference, or of the name or the email of
// the buyer. Spec: GET /marketplace/payments.
import type { Asset } from '#core/chain/types.ts'
import { searchTextOf } from '#core/marketplace/search.ts'
import type { MetadataEntry } from '#core/metadata.ts'
import type { IntentStatus, PaymentIntent } from '#core/payments/payment-intent.ts'

/** The longest search, in characters: a longer one finds nothing that a shorter one would miss. */
export const MAX_SEARCH = 100

/** The place of a payment in the order of (created_at, id). */
export type Position = { readonly createdAt: Date; readonly id: string }

/** Which payments are searched, and in which order. */
export type SearchedList = {
  /** Leaves out the payments that are not for sellers. */
  readonly isForSellers: boolean
  /** Leaves out the payments for others. */
  readonly sellerId: string | null
  /** Each once. */
  readonly statuses: readonly IntentStatus[] | null
  /** Inclusive. */
  readonly from: Date | null
  /** Exclusive. */
  readonly to: Date | null
  readonly reference: string | null
  /** A payment has all of them. */
  readonly metadata: readonly MetadataEntry[]
  /** The selected one. */
  readonly asset: Asset | null
  /** Whether a payment has held money; null for any. */
  readonly isHeld: boolean | null
  /** Leaves out the payments without an address of the buyer that waits for the business. */
  readonly hasProposal: boolean
  readonly olderThan: Position | null
  readonly newerThan: Position | null
  readonly order: 'asc' | 'desc'
}

export type SearchEntry = {
  readonly text: string
  /** The text for indexes of payments; null when it is too long for one. */
  readonly shortText: string | null
}

/** In UTF-16 units, of at most three bytes each. An entry of an index has at most 2,704 bytes. */
const LONGEST_SHORT_TEXT = 300

/** Returns the text of a payment that is searched. First and last name are one text. */
export function searchEntryOf({
  reference,
  customerDetails,
}: Pick<PaymentIntent, 'reference' | 'customerDetails'>): SearchEntry {
  const { first_name, last_name, email } = customerDetails ?? {}
  const names = [first_name, last_name].filter((name) => name !== undefined)
  const text = searchTextOf([reference, names.length === 0 ? null : names.join(' '), email ?? null])
  return { text, shortText: text.length > LONGEST_SHORT_TEXT ? null : text }
}
