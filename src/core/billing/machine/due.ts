// What time does to a subscription: periods begin, charges are due, dunning ends.
import { inPeriod, isOpen, periodContaining } from '#core/billing/entitlement.ts'
import {
  type BillingChange,
  type Decision,
  latestCharge,
  moved,
  moveTo,
  startChange,
  step,
  UNCHANGED,
} from '#core/billing/machine/change.ts'
import { cancelOpen, openCharge, passOver, planAgain, planDue, settleTimes } from '#core/billing/machine/charging.ts'
import { NOTHING_DUE, settleCoverage, settleDelegation } from '#core/billing/machine/coverage.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { dunningUntil, endsAt, incompleteUntil, lapsesAt } from '#core/billing/machine/schedule.ts'
import type { Party } from '#core/billing/subscription.ts'

/** Does what is due. `unchanged` before `dueAt`. */
export function decideDue(facts: BillingFacts, context: BillingContext): Decision {
  const { subscription } = facts
  if (subscription.dueAt === null || subscription.dueAt > context.now) return UNCHANGED
  switch (subscription.status) {
    case 'incomplete':
      return dueFirst(facts, context)
    case 'trialing':
    case 'active':
    case 'renewal_required':
    case 'past_due':
      return duePeriod(facts, context)
    case 'paused':
    case 'revoked':
    case 'exhausted':
      return endsNow(facts, context) ? moved(endSubscription(facts, context)) : UNCHANGED
    case 'canceled':
    case 'failed':
      return UNCHANGED
  }
}

const isSubmitted = ({ charge }: BillingFacts): boolean => charge?.charge.status === 'submitted'

/** The first charge: tried again, or given up 23 hours after the checkout. */
function dueFirst(facts: BillingFacts, context: BillingContext): Decision {
  const { now } = context
  if (isSubmitted(facts)) return UNCHANGED
  const change = startChange(facts.subscription)
  if (now < incompleteUntil(facts.subscription)) {
    const retried = retryDue(change, facts, context)
    return retried === change ? UNCHANGED : moved(settleTimes(retried, facts, now))
  }
  const canceled = cancelOpen(change, facts, NEVER_PAID, context)
  const failed = moveTo(canceled, facts, 'failed', { endedAt: now }, now, 'subscription.failed')
  return moved(settleDelegation(failed, facts, now))
}

const NEVER_PAID = 'The first charge did not succeed within 23 hours.'

function duePeriod(facts: BillingFacts, context: BillingContext): Decision {
  const { now } = context
  if (endsNow(facts, context)) return moved(endSubscription(facts, context))
  const until = dunningUntil(facts.subscription)
  // The end of a charge under way decides whether the subscription is still past due.
  if (until !== null && now >= until && !isSubmitted(facts)) {
    const canceled = cancelOpen(startChange(facts.subscription), facts, NOT_PAID, context)
    return moved(moveTo(canceled, facts, 'paused', NOTHING_DUE, now, 'subscription.paused'))
  }
  const begun = beginPeriod(announceTrialEnd(startChange(facts.subscription), facts, now), facts, now)
  const lapsed = lapse(begun, facts, context)
  const covered = settleCoverage(lapsed, facts, now)
  const planned = retryDue(planDue(covered, facts, context), facts, context)
  return planned.after === facts.subscription && planned.charges.length === 0
    ? UNCHANGED
    : moved(settleTimes(planned, facts, now))
}

const NOT_PAID = 'Nothing could be charged within 7 days of the first failure.'

const endsNow = ({ subscription, charge }: BillingFacts, { now }: BillingContext): boolean =>
  subscription.cancelAtPeriodEnd && now >= endsAt(subscription, charge?.charge ?? null)

/** Ends a subscription at the end of its period, before a charge is planned. */
const endSubscription = (facts: BillingFacts, context: BillingContext): BillingChange =>
  cancelNow(startChange(facts.subscription), facts, facts.subscription.stoppedBy, context)

/** Moves to `canceled`. A charge under way goes on; nothing is charged after it. `by`: who wants the end. */
export function cancelNow(
  change: BillingChange,
  facts: BillingFacts,
  by: Party | null,
  context: BillingContext,
): BillingChange {
  const { now } = context
  const { canceledAt } = change.after
  const patch = { ...NOTHING_DUE, canceledAt: canceledAt ?? now, endedAt: now, stoppedBy: by }
  const canceled = cancelOpen(change, facts, CANCELED, context)
  return settleDelegation(moveTo(canceled, facts, 'canceled', patch, now, 'subscription.canceled'), facts, now)
}

export const CANCELED = 'The subscription was canceled.'

/** Announces the end of a trial, once: three days before it, or later when the service was down, but not after it. */
function announceTrialEnd(change: BillingChange, facts: BillingFacts, now: Date): BillingChange {
  const { status, trialNoticeAt, trialEndsAt } = change.after
  if (status !== 'trialing' || trialNoticeAt === null || trialNoticeAt > now) return change
  const isOver = trialEndsAt !== null && trialEndsAt <= now
  return step(change, facts, { trialNoticeAt: null }, now, isOver ? null : 'subscription.trial_ending')
}

/** Moves on to the period that contains the moment, whether the charge of the last one has succeeded or not. */
function beginPeriod(change: BillingChange, facts: BillingFacts, now: Date): BillingChange {
  const subscription = change.after
  const period = periodContaining(subscription, now)
  if (period.index === subscription.periodIndex) return change
  return step(change, facts, inPeriod(period), now, 'subscription.updated')
}

/**
 * Cancels an unpaid charge whose period has ended. While the subscription is past due, the charge of the present period takes
 * its place, and dunning goes on. Otherwise the business could not be paid, and the next period is charged.
 */
function lapse(change: BillingChange, facts: BillingFacts, context: BillingContext): BillingChange {
  const open = openCharge(change, facts)
  const until = open === null ? null : lapsesAt(change.after, open)
  if (open === null || until === null || until > context.now) return change
  const { after } = change
  const passed = passOver(after, after.status === 'past_due' ? after.periodIndex : open.periodIndex + 1)
  return settleTimes(
    cancelOpen({ ...change, after: { ...after, ...passed } }, facts, PERIOD_OVER, context),
    facts,
    context.now,
  )
}

const PERIOD_OVER = 'The period of the charge has ended.'

/** Plans a failed charge again once the time of its next try has come. */
function retryDue(change: BillingChange, facts: BillingFacts, context: BillingContext): BillingChange {
  const { charge: own } = facts
  const latest = latestCharge(change, facts)
  if (own === null || latest !== own.charge || !isOpen(latest) || latest.status !== 'failed') return change
  const { nextAttemptAt } = latest
  return nextAttemptAt === null || nextAttemptAt > context.now ? change : planAgain(change, own, context)
}
