// Applies a change of terms that was judged, and agreed to where that is necessary.
import { periodOf } from '#core/billing/calendar.ts'
import { nextAmount, pricesAfter } from '#core/billing/discount.ts'
import { currentPeriod, inPeriod } from '#core/billing/entitlement.ts'
import {
  type BillingChange,
  type Decision,
  moved,
  moveTo,
  refused,
  type SubscriptionPatch,
  startChange,
  step,
  UNCHANGED,
} from '#core/billing/machine/change.ts'
import { openCharge, passOver } from '#core/billing/machine/charging.ts'
import { coverageOf, NOTHING_DUE, settleCoverage } from '#core/billing/machine/coverage.ts'
import type { BillingContext, BillingFacts, BillingTerms } from '#core/billing/machine/facts.ts'
import { KEEP, resume } from '#core/billing/machine/manage.ts'
import { type BillingSubscription, SUBSCRIPTION_POLICY } from '#core/billing/subscription.ts'
import {
  type ApproveConsent,
  approvedTerms,
  judgeTermChange,
  type NewTerms,
  type TermConsent,
  type TermOrder,
} from '#core/billing/term-change.ts'
import { capAtU64, ZERO } from '#core/money/amounts.ts'

/** An order with the terms that the subscriber saw. `next` has the new tier of a change, and the present one of a renewal. */
export type AgreedOrder = {
  readonly kind: TermOrder['kind']
  readonly agreed: NewTerms
  readonly next: BillingTerms
}

/**
 * Applies new terms from the next charge on. Without an approve, the arithmetic is repeated: refuses `wallet_proof_required`
 * without agreement to a raise, `authorization_required` when the room is gone, and `subscription_changed` when the terms are
 * no longer those that the subscriber agreed to. An approve has moved the allowance already, so its terms apply also after other
 * changes, but never to more than what was agreed, and a tier not while a charge is unpaid.
 */
export function decideTermChange(
  facts: BillingFacts,
  order: AgreedOrder,
  consent: TermConsent,
  context: BillingContext,
): Decision {
  const { agreed, next, kind } = order
  const wanted: TermOrder = kind === 'change' ? { kind, tier: next.tier } : { kind }
  if (consent.by === 'approve') return applyApproved(facts, wanted, order, consent, context)
  const judged = judgeTermChange(facts, wanted)
  if (judged.kind === 'refused') return judged
  if (judged.kind === 'approval_required') return refused('authorization_required')
  if (judged.kind === 'proof_required' && consent.by === 'nothing') return refused('wallet_proof_required')
  if (!isSameTerms(judged.terms, agreed)) return refused('subscription_changed')
  const patch = { ...PROOF[consent.by], ...epochOf(facts, consent) }
  return moved(apply(facts, judged.terms, next, { patch, revival: kind === 'renew' ? KEEP : {} }, context))
}

/** What an agreement changes besides the terms: always, and where it lets a stopped subscription go on. */
type Agreement = { readonly patch: SubscriptionPatch; readonly revival: SubscriptionPatch }

const PROOF = { nothing: {}, proof: { approveSignature: null } } as const

const epochOf = ({ delegation }: BillingFacts, { by }: TermConsent): SubscriptionPatch =>
  by === 'nothing' ? {} : { delegationEpoch: delegation.epoch }

export const isSameTerms = (a: NewTerms, b: NewTerms): boolean =>
  a.tierId === b.tierId && a.unitAmount === b.unitAmount && a.periods === b.periods && a.slice === b.slice

function applyApproved(
  facts: BillingFacts,
  wanted: TermOrder,
  { agreed, next, kind }: AgreedOrder,
  consent: ApproveConsent,
  context: BillingContext,
): Decision {
  const { status, canceledAt } = facts.subscription
  if (SUBSCRIPTION_POLICY[status].isFinal || status === 'incomplete') return UNCHANGED
  const terms = approvedTerms(facts, wanted, agreed, consent)
  if (terms === null) return UNCHANGED
  const patch = { approveSignature: consent.signature, delegationEpoch: consent.epoch }
  // A subscriber who canceled after agreeing does not want to go on.
  const wantsMore = kind === 'renew' && (canceledAt === null || canceledAt <= consent.agreedAt)
  const agreement = { patch, revival: wantsMore ? KEEP : {} }
  return moved(apply(facts, terms, next, agreement, context))
}

/** A new slice begins: nothing of it is spent. */
function apply(
  facts: BillingFacts,
  terms: NewTerms,
  next: BillingTerms,
  agreement: Agreement,
  context: BillingContext,
): BillingChange {
  const { now } = context
  const { status, spentAmount, earlierAmount } = facts.subscription
  const { tierId, periods, slice } = terms
  const prices = pricesAfter(facts.subscription, next.tier)
  const change = startChange(facts.subscription)
  const onNext = { ...facts, terms: next }
  const patch: SubscriptionPatch = {
    tierId,
    ...prices,
    periods,
    authorizedAmount: slice,
    spentAmount: ZERO,
    earlierAmount: capAtU64(earlierAmount + spentAmount),
    ...calendarPatch(facts.subscription, next),
    ...agreement.patch,
  }
  const arrive = (more: SubscriptionPatch): BillingChange =>
    moveTo(change, onNext, 'active', { ...patch, ...more }, now, 'subscription.updated')
  switch (status) {
    case 'revoked':
    case 'exhausted':
      // The slice is covered again, so billing goes on with the new terms.
      if (slice >= nextAmount(prices))
        return resume({ ...change, after: { ...change.after, ...patch } }, onNext, agreement.revival, context)
      break
    case 'renewal_required':
      if (coverageOf(step(change, onNext, patch, now, null)) === 'enough') return arrive({})
      break
    case 'past_due':
      if (openCharge(change, facts) === null) return settleCoverage(arrive(NOTHING_DUE), onNext, now)
  }
  const changed = step(change, onNext, patch, now, 'subscription.updated')
  return SUBSCRIPTION_POLICY[status].isRevocable ? settleCoverage(changed, onNext, now) : changed
}

/**
 * Another interval begins its calendar at the end of the current period. The periods before are paid, or passed over. An exhausted
 * subscription stopped before it paid for the current period: that one begins again, with the new interval.
 */
function calendarPatch(
  subscription: BillingSubscription,
  { tier: { interval, intervalCount } }: BillingTerms,
): SubscriptionPatch {
  if (interval === subscription.interval && intervalCount === subscription.intervalCount) return {}
  const { index, start, end } = currentPeriod(subscription)
  if (subscription.status === 'exhausted' && subscription.nextChargePeriod <= index) {
    const calendar = { interval, intervalCount, anchor: start, anchorPeriod: index }
    return { ...calendar, ...inPeriod(periodOf(calendar, index)), ...passOver(subscription, index) }
  }
  const calendar = { interval, intervalCount, anchor: end, anchorPeriod: index + 1 }
  return { ...calendar, ...passOver(subscription, index + 1) }
}
