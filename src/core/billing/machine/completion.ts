// A completed checkout becomes a subscription, with its first charge planned, or with a trial before that. docs/billing.md, "Subscriptions".
import { DAY_MS } from '#core/billing/calendar.ts'
import { type Coupon, discountOf } from '#core/billing/coupon.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import { adoptAllowance, judgeDelegation } from '#core/billing/delegation-state.ts'
import { pricesOf, totalWith } from '#core/billing/discount.ts'
import { later } from '#core/billing/dunning.ts'
import { type Decision, moved, refused, startInsert, withDelegation } from '#core/billing/machine/change.ts'
import { planCharge } from '#core/billing/machine/charging.ts'
import type { BillingContext, BillingTerms } from '#core/billing/machine/facts.ts'
import { scheduleOf } from '#core/billing/machine/schedule.ts'
import { hasRoom, type Slice, sliceOf } from '#core/billing/room.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import { type SubscriptionIntent, subscriptionIntentStatus } from '#core/billing/subscription-intent.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import { ZERO } from '#core/money/amounts.ts'

/** A checkout whose approve was accepted, or whose signed text is valid. */
export type Completion = {
  readonly checkout: SubscriptionIntent
  readonly subscriptionId: string
  readonly receiverAccountId: string
  readonly wallet: Address
  readonly terms: BillingTerms
  /** The coupon of the checkout; null without one. Its terms are frozen into the subscription. */
  readonly coupon: Coupon | null
  /** For a signed text: with a reading of this moment. */
  readonly delegation: Delegation
  /** The slices of the other subscriptions of the delegation. */
  readonly others: readonly Slice[]
  /** The days of the trial that the wallet has agreed to, and has not had; 0 without a trial. */
  readonly trialDays: number
  /** How the wallet agreed: by an approve, which begins `epoch` once it is final, or by a signed text. */
  readonly consent:
    | { readonly by: 'approve'; readonly signature: Signature; readonly epoch: number }
    | { readonly by: 'proof' }
}

/**
 * Completes the checkout. A signed text needs room at this moment, and the change has the delegation with its new slice; an
 * approve has made its own room, and the caller begins the epoch. Refuses a checkout that is not open; an approve that was sent
 * in time completes it after its expiry too.
 */
export function decideCompletion(given: Completion, context: BillingContext): Decision {
  const completion =
    given.consent.by === 'proof' ? { ...given, delegation: adoptAllowance(given.delegation, context.now) } : given
  const { checkout, terms, delegation, others, consent } = completion
  const { now } = context
  const status = subscriptionIntentStatus(checkout, now)
  if (status === 'completed') return refused('checkout_completed')
  if (status === 'canceled') return refused('checkout_closed')
  if (status === 'expired' && consent.by === 'proof') return refused('checkout_expired')
  const subscription = subscriptionOf(completion, now)
  if (consent.by === 'proof' && !hasRoom(subscription.authorizedAmount, others, delegation, terms.delegate.address))
    return refused('authorization_required')
  const inserted = startInsert(subscription)
  const planned =
    subscription.status === 'trialing'
      ? inserted
      : planCharge(inserted, terms, { index: 0, start: now, end: null }, context)
  const after = { ...subscription, ...scheduleOf(subscription, planned.charges.at(-1) ?? null) }
  const change = {
    ...planned,
    after,
    events: [{ type: 'subscription.created', subscription: after } as const, ...planned.events],
    checkout: { before: checkout, after: completed(completion, now) },
  }
  if (consent.by === 'approve') return moved(change)
  const slices = [...others, sliceOf(after, null)]
  const judged = judgeDelegation({ delegation, slices, delegate: terms.delegate.address }, now)
  return moved(withDelegation(change, given.delegation, judged.delegation))
}

function subscriptionOf(completion: Completion, now: Date): BillingSubscription {
  const { checkout, subscriptionId, receiverAccountId, wallet, terms, coupon, delegation, consent } = completion
  const { tier, delegate } = terms
  return {
    id: subscriptionId,
    network: delegate.key.network,
    accountId: checkout.accountId,
    receiverAccountId,
    tierId: tier.id,
    intentId: checkout.id,
    delegationId: delegation.id,
    subscriberWallet: wallet,
    mint: tier.mint,
    ...pricesOf(tier, coupon),
    couponId: coupon?.id ?? null,
    discount: coupon === null ? null : discountOf(coupon),
    periods: tier.authorizationPeriods,
    authorizedAmount: totalWith(tier, coupon),
    spentAmount: ZERO,
    earlierAmount: ZERO,
    delegationEpoch: consent.by === 'approve' ? consent.epoch : delegation.epoch,
    interval: tier.interval,
    intervalCount: tier.intervalCount,
    nextChargeAt: null,
    cancelAtPeriodEnd: false,
    stoppedBy: null,
    pastDueSince: null,
    dunningAttempts: 0,
    dueAt: null,
    approveSignature: consent.by === 'approve' ? consent.signature : null,
    metadata: checkout.metadata,
    version: 1,
    createdAt: now,
    updatedAt: now,
    activatedAt: null,
    canceledAt: null,
    endedAt: null,
    ...beginningOf(completion, now),
  }
}

/** How long before the end of a trial it is announced; at once for a shorter one. */
const TRIAL_NOTICE_MS = 3 * DAY_MS

/** A trial is period 0, and the first charge is due at its end. Without one, the periods count from the first charge. */
function beginningOf({ trialDays, terms: { tier } }: Pick<Completion, 'trialDays' | 'terms'>, now: Date) {
  if (trialDays === 0)
    return {
      status: 'incomplete',
      anchor: null,
      anchorPeriod: 0,
      periodIndex: 0,
      currentPeriodStart: null,
      currentPeriodEnd: null,
      nextChargePeriod: 0,
      trialEndsAt: null,
      trialProductId: null,
      trialNoticeAt: null,
    } as const
  const end = later(now, trialDays * DAY_MS)
  const noticeAt = later(end, -TRIAL_NOTICE_MS)
  return {
    status: 'trialing',
    anchor: end,
    anchorPeriod: 1,
    periodIndex: 0,
    currentPeriodStart: now,
    currentPeriodEnd: end,
    nextChargePeriod: 1,
    trialEndsAt: end,
    trialProductId: tier.productId,
    trialNoticeAt: noticeAt > now ? noticeAt : now,
  } as const
}

const completed = ({ checkout, subscriptionId, wallet }: Completion, now: Date): SubscriptionIntent => ({
  ...checkout,
  status: 'completed',
  subscriberWallet: wallet,
  subscriptionId,
  version: checkout.version + 1,
  updatedAt: now,
  completedAt: now,
})
