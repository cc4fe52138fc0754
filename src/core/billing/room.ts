// Slices of a delegation, and the room for another slice. docs/billing.md, "Authorization".
import type { Charge } from '#core/billing/charge.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingSubscription, SubscriptionStatus } from '#core/billing/subscription.ts'
import type { Address } from '#core/chain/types.ts'
import { type BaseUnits, isBaseUnits, subtract, sumOf, ZERO } from '#core/money/amounts.ts'

/** The part of a delegation that belongs to one subscription. Amounts are in base units. */
export type Slice = {
  readonly subscriptionId: string
  readonly status: SubscriptionStatus
  /** What is authorized and not pulled yet. */
  readonly remaining: BaseUnits
  /** The amount of a charge under way, which the chain may have moved already; it is a part of `remaining`. */
  readonly inFlight: BaseUnits
  readonly createdAt: Date
}

/** Returns what is authorized and not pulled yet, in base units. */
export const remainingAmount = ({
  authorizedAmount,
  spentAmount,
}: Pick<BillingSubscription, 'authorizedAmount' | 'spentAmount'>): BaseUnits => subtract(authorizedAmount, spentAmount)

/** Returns the slice of a subscription. `latest` is the charge of its latest period. */
export const sliceOf = (subscription: BillingSubscription, latest: Charge | null): Slice => ({
  subscriptionId: subscription.id,
  status: subscription.status,
  remaining: remainingAmount(subscription),
  inFlight: latest?.status === 'submitted' ? latest.amount : ZERO,
  createdAt: subscription.createdAt,
})

/**
 * Whether the remaining slice is outstanding. Only a renewal, which sets a new slice, charges an exhausted or a revoked
 * subscription again.
 */
const IS_OUTSTANDING: Readonly<Record<SubscriptionStatus, boolean>> = {
  incomplete: true,
  trialing: true,
  active: true,
  renewal_required: true,
  past_due: true,
  paused: true,
  revoked: false,
  exhausted: false,
  canceled: false,
  failed: false,
}

export const isOutstanding = ({ status }: Pick<Slice, 'status'>): boolean => IS_OUTSTANDING[status]

/** Returns the base units that the allowance must still give: the slice, or only a charge that is under way. */
const claimOf = (slice: Slice): BaseUnits => (isOutstanding(slice) ? slice.remaining : slice.inFlight)

/** Returns the sum of what the slices may still take, in base units. A sum of many slices can exceed 2^64 − 1. */
export const outstandingOf = (slices: readonly Slice[]): bigint => sumOf(slices.map(claimOf))

/** The token account as it was read last. */
export type Reading = Pick<Delegation, 'chainDelegate' | 'chainAllowance'>

/** Returns the allowance on the chain, in base units; 0 when another delegate has it, or none. */
export const allowanceFor = ({ chainDelegate, chainAllowance }: Reading, delegate: Address): bigint =>
  chainDelegate === delegate ? chainAllowance : 0n

/**
 * Returns whether the allowance covers a new slice of this many base units next to the slices of the others. A charge of
 * theirs under way counts as outstanding: a reading that shows it already makes the room look smaller, never larger.
 */
export const hasRoom = (slice: BaseUnits, others: readonly Slice[], reading: Reading, delegate: Address): boolean =>
  slice + outstandingOf(others) <= allowanceFor(reading, delegate)

/** Returns the total of the approve that a new slice needs, in base units. Refuses more than an allowance can be. */
export function approveTotal(
  slice: BaseUnits,
  others: readonly Slice[],
): BaseUnits | { readonly refused: 'authorization_total_too_large' } {
  const total = slice + outstandingOf(others)
  return isBaseUnits(total) ? total : { refused: 'authorization_total_too_large' }
}
