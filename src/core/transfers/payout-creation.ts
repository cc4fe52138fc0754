// The token accounts of businesses that the fee payer pays for: for each business and token, one in 30 days. A business could
// otherwise close its account after each payout and keep the rent. docs/money.md, "What the fee payer pays for".
import type { Address } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import { type Delay, TRY_AGAIN_MS, type TransferView } from '#core/transfers/preflight.ts'
import type { Transfer } from '#core/transfers/transfer.ts'

const DAY_MS = 86_400_000
export const ONE_PAYOUT_ACCOUNT_IN_MS = 30 * DAY_MS

/**
 * Charges create the token accounts of at most this many sellers of one marketplace in 24 hours: about 0.1 SOL. A marketplace makes
 * as many sellers as it wants, and no deposit account gives its rent back for a charge.
 */
const SELLER_ACCOUNTS_PER_DAY = 50

export const sellerLimitAt = (now: Date): SellerLimit => ({
  most: SELLER_ACCOUNTS_PER_DAY,
  since: new Date(now.getTime() - DAY_MS),
})

/** The most token accounts that transfers of one kind for all sellers of a marketplace create since a time. */
export type SellerLimit = { readonly most: number; readonly since: Date }

/**
 * What the fee payer may do about a missing token account of a business. `pending`: another transfer may be creating it now.
 * `spent`: it was paid for in the last 30 days, or the marketplace of a seller has reached its limit.
 */
export type PayoutCreation = 'allowed' | 'pending' | 'spent'

/** The attempt that creates a token account of the business: the next of the transfer. */
export type PayoutClaim = Pick<Transfer, 'network' | 'asset'> & {
  readonly accountId: string
  readonly transferId: string
  readonly attempt: number
  readonly at: Date
  /** Set for a charge; null for a settlement. */
  readonly sellerLimit: SellerLimit | null
}

/** The wait for a token account that another transfer creates, until that is final. */
export const PAYOUT_PENDING: Delay = {
  reason: 'Another transfer creates the token account of the business.',
  afterMs: TRY_AGAIN_MS,
}

/** Returns the first wallet of a business that has no token account; null when all have one. */
export function payoutWithoutAccount(
  { asset, legs }: Pick<Transfer, 'asset' | 'legs'>,
  { receivers }: Pick<TransferView, 'receivers'>,
  isPayout: (leg: { readonly role: string }) => boolean,
): Address | null {
  if (asset === SOL) return null
  const missing = legs.find((leg) => isPayout(leg) && (receivers.get(leg.destination)?.token ?? null) === null)
  return missing?.destination ?? null
}
