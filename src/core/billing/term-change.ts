// A change of the terms of a running subscription: another tier, or a renewal. It is judged by arithmetic, and nothing is
// written. docs/billing.md, "Changes of terms".
import { costsMorePerDay } from '#core/billing/calendar.ts'
import type { Charge } from '#core/billing/charge.ts'
import { costOf, nextAmount, type Prices, pricesAfter } from '#core/billing/discount.ts'
import { remainingPeriods, unpaidCharge } from '#core/billing/entitlement.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { approveTotal, hasRoom, remainingAmount } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Tier } from '#core/billing/tier.ts'
import { unitsCodec } from '#core/chain/codecs.ts'
import type { Signature } from '#core/chain/types.ts'
import { type Decoded, integer, uuid } from '#core/codec.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import { type BaseUnits, isBaseUnits, smaller, subtractToZero } from '#core/money/amounts.ts'
import { refusalOf } from './machine/manage.ts'

/** The change that is asked for. A renewal sets the remaining periods to those of the tier. */
export type TermOrder = { readonly kind: 'change'; readonly tier: Tier } | { readonly kind: 'renew' }

/** The terms that a change leads to: what the subscriber signs. */
export type NewTerms = Decoded<typeof NEW_TERMS_FIELDS>

export const NEW_TERMS_FIELDS = {
  tierId: uuid,
  unitAmount: unitsCodec,
  /** The periods that can be charged from now on, an unpaid one included. */
  periods: integer,
  /** The new slice, in base units. */
  slice: unitsCodec,
} as const

type Refusal = { readonly kind: 'refused'; readonly code: ErrorCode; readonly context: ErrorContext }

/** The outcome of a request before it is carried out. docs/billing.md, "Changes of terms". */
export type TermChange =
  | { readonly kind: 'changed' | 'proof_required'; readonly terms: NewTerms }
  /** `total` is the allowance to approve, in base units: what is outstanding, and the new slice. */
  | { readonly kind: 'approval_required'; readonly terms: NewTerms; readonly total: BaseUnits }
  | Refusal

/** How the subscriber agreed: not at all, by a signed text, or by an approve that is final. */
export type TermConsent = { readonly by: 'nothing' | 'proof' } | ApproveConsent

/**
 * An approve that began `epoch`. `pulledSince`: the base units of the subscription's charges that came after the approve and were
 * booked before it. `agreedAt`: when it was prepared for the terms.
 */
export type ApproveConsent = {
  readonly by: 'approve'
  readonly signature: Signature
  readonly epoch: number
  readonly pulledSince: BaseUnits
  readonly agreedAt: Date
}

/** Judges a request. Only a renewal, and a change that raises, need the subscriber's agreement. */
export function judgeTermChange(facts: BillingFacts, order: TermOrder): TermChange {
  const refusal = judgeStatus(facts, order) ?? judgeTier(facts, order) ?? judgeUnpaid(facts, order)
  if (refusal !== null) return refusal
  const { subscription, terms, others, delegation } = facts
  const next = newTerms(facts, order)
  if ('kind' in next) return next
  if (order.kind === 'change' && !raises(subscription, order.tier, next)) return { kind: 'changed', terms: next }
  if (hasRoom(next.slice, others, delegation, terms.delegate.address)) return { kind: 'proof_required', terms: next }
  const total = approveTotal(next.slice, others)
  return typeof total === 'bigint' ? { kind: 'approval_required', terms: next, total } : TOO_LARGE
}

const refuse = (code: ErrorCode, context: ErrorContext = {}): Refusal => ({ kind: 'refused', code, context })
const TOO_LARGE = refuse('authorization_total_too_large')

/**
 * Only a renewal revives a subscription whose authorization has ended. It cannot be resumed, so the renewal is permitted also when
 * the subscription ends with its period.
 */
function judgeStatus({ subscription }: BillingFacts, { kind }: TermOrder): Refusal | null {
  const refusal = refusalOf(subscription, 'subscription_incomplete', 'subscription_ended', 'subscription_paused')
  if (refusal !== null) return refusal
  const exhausted = refusalOf(subscription, 'authorization_exhausted')
  if (exhausted !== null) return kind === 'renew' ? null : exhausted
  return refusalOf(subscription, 'subscription_canceling')
}

/** Returns the refusal of a tier to which a subscription on `present` cannot change; null when it can. */
export function judgeNewTier(present: Pick<Tier, 'id' | 'productId' | 'mint'>, tier: Tier): Refusal | null {
  if (tier.id === present.id) return refuse('same_tier')
  if (tier.productId !== present.productId) return refuse('different_product')
  if (tier.archivedAt !== null) return refuse('tier_archived')
  return tier.mint === present.mint
    ? null
    : refuse('tier_mint_mismatch', { tier_mint: tier.mint, platform_mint: present.mint })
}

const judgeTier = ({ terms }: BillingFacts, order: TermOrder): Refusal | null =>
  order.kind === 'change' ? judgeNewTier(terms.tier, order.tier) : null

/** A charge keeps its amount, so the tier changes only between two charges. */
function judgeUnpaid(facts: BillingFacts, { kind }: TermOrder): Refusal | null {
  const unpaid = kind === 'change' ? unpaidOf(facts) : null
  return unpaid === null ? null : refuse('charge_in_progress', { charge_id: unpaid.id })
}

const unpaidOf = ({ subscription, charge }: BillingFacts): Charge | null =>
  unpaidCharge(subscription, charge?.charge ?? null)

/** Returns the terms that the order leads to, from the present state. A change keeps the number of remaining periods. */
function newTerms(facts: BillingFacts, order: TermOrder): NewTerms | Refusal {
  const { left, periods, tier, prices } = wantedBy(facts, order)
  if (order.kind === 'renew' && facts.subscription.status !== 'revoked' && left >= periods)
    return refuse('nothing_to_renew')
  const slice = costOf(prices, periods)
  return isBaseUnits(slice) ? { tierId: tier.id, unitAmount: prices.unitAmount, periods, slice } : TOO_LARGE
}

/**
 * Returns the terms that an approve leads to once it is final. The subscription may be on another tier by then, or have more
 * periods left than the tier gives. It keeps those, and the slice is never more than is left of what was agreed. null while a charge
 * is unpaid, for another tier and for a slice that does not pay it.
 */
export function approvedTerms(
  facts: BillingFacts,
  order: TermOrder,
  agreed: NewTerms,
  { pulledSince }: Pick<ApproveConsent, 'pulledSince'>,
): NewTerms | null {
  const { left, periods, tier, prices } = wantedBy(facts, order)
  const kept = facts.subscription.status === 'revoked' ? periods : Math.max(left, periods)
  const wanted = costOf(prices, kept)
  const most = subtractToZero(agreed.slice, pulledSince)
  const slice = isBaseUnits(wanted) ? smaller(wanted, most) : most
  const unpaid = unpaidOf(facts)
  if (unpaid !== null && (order.kind === 'change' || slice < unpaid.amount)) return null
  return { tierId: tier.id, unitAmount: prices.unitAmount, periods: kept, slice }
}

/**
 * Returns what an order asks for, from the present state: `left` are the periods that remain, and `periods` those that it leads
 * to.
 */
function wantedBy({ subscription, terms }: BillingFacts, order: TermOrder) {
  const tier = order.kind === 'change' ? order.tier : terms.tier
  const left = remainingPeriods(subscription)
  return {
    tier,
    prices: pricesAfter(subscription, tier),
    left,
    periods: order.kind === 'change' ? left : tier.authorizationPeriods,
  }
}

/** Returns whether the change claims more: for each period or day, with the discount or without it, or of the allowance. */
function raises(subscription: BillingSubscription, tier: Tier, { slice }: NewTerms): boolean {
  const prices = pricesAfter(subscription, tier)
  const isMore = (amountOf: (prices: Prices) => bigint): boolean =>
    amountOf(prices) > amountOf(subscription) ||
    costsMorePerDay({ ...tier, unitAmount: amountOf(prices) }, { ...subscription, unitAmount: amountOf(subscription) })
  return isMore(({ unitAmount }) => unitAmount) || isMore(nextAmount) || slice > remainingAmount(subscription)
}
