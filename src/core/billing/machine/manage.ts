// What people do with a subscription: pause, resume, charge now, cancel, and another try of a failed charge.
import { type Charge, RECOVERY } from '#core/billing/charge.ts'
import { toReadAgain } from '#core/billing/delegation-state.ts'
import { askableAt, triableAt } from '#core/billing/dunning.ts'
import { inPeriod, isNeverPaid, isOpen, periodContaining } from '#core/billing/entitlement.ts'
import {
  type BillingSubscription,
  isCharging,
  isInTrial,
  type Party,
  type SubscriptionStatus,
} from '#core/billing/subscription.ts'
import type { Signature } from '#core/chain/types.ts'
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
  withDelegation,
} from './change.ts'
import { cancelOpen, openCharge, passOver, planAgain, planDue, settleTimes } from './charging.ts'
import { coverageOf, NOTHING_DUE, settleCoverage } from './coverage.ts'
import { CANCELED, cancelNow, decideDue } from './due.ts'
import type { BillingContext, BillingFacts } from './facts.ts'
import { isGivenUp } from './schedule.ts'

// The refusals of the management of a subscription, by its status. Spec: "Errors".

type Refusal = Extract<Decision, { kind: 'refused' }>

const REFUSED_IN = {
  subscription_incomplete: ['incomplete'],
  subscription_ended: ['canceled', 'failed'],
  authorization_exhausted: ['revoked', 'exhausted'],
  subscription_paused: ['paused'],
} as const satisfies Readonly<Record<string, readonly SubscriptionStatus[]>>

const SHOWS_STATUS: ReadonlySet<string> = new Set(['subscription_ended', 'authorization_exhausted'])

type ManagementRefusal = keyof typeof REFUSED_IN | 'subscription_canceling'

/** Returns the first of the refusals that applies to the subscription; null when none does. */
export function refusalOf(
  { status, cancelAtPeriodEnd }: BillingSubscription,
  ...codes: readonly ManagementRefusal[]
): Refusal | null {
  const code = codes.find((one) =>
    one === 'subscription_canceling' ? cancelAtPeriodEnd : REFUSED_IN[one].some((refusing) => refusing === status),
  )
  return code === undefined ? null : { kind: 'refused', code, context: SHOWS_STATUS.has(code) ? { status } : {} }
}

/** Stops charging until a person resumes it. A charge under way goes on. A repeat changes nothing but who has stopped it. */
export function decidePause(facts: BillingFacts, by: Party, context: BillingContext): Decision {
  const { subscription } = facts
  if (subscription.status === 'paused') return stoppedAgain(facts, by, context)
  const refusal = refusalOf(
    subscription,
    'subscription_incomplete',
    'subscription_ended',
    'authorization_exhausted',
    'subscription_canceling',
  )
  if (refusal !== null) return refusal
  const canceled = cancelOpen(startChange(subscription), facts, PAUSED, context)
  const patch = { ...NOTHING_DUE, stoppedBy: by }
  return moved(moveTo(canceled, facts, 'paused', patch, context.now, 'subscription.paused'))
}

const PAUSED = 'The subscription was paused.'

/** Notes that the subscriber, too, has stopped what is stopped. The business does not take that back. */
function stoppedAgain(facts: BillingFacts, by: Party, { now }: BillingContext): Decision {
  const { subscription } = facts
  if (by === 'business' || subscription.stoppedBy === 'subscriber') return UNCHANGED
  return moved(step(startChange(subscription), facts, { stoppedBy: by }, now, 'subscription.updated'))
}

/** Refuses a business that starts again what its subscriber has stopped. */
const refusedToStart = (subscription: BillingSubscription, by: Party): Decision | null =>
  by === 'business' && subscription.stoppedBy === 'subscriber'
    ? refusalOf(subscription, 'subscription_paused', 'subscription_canceling')
    : null

/**
 * Lets charging go on, or clears a cancellation at the end of the period. The period that contains now is charged if it is
 * unpaid; earlier ones never are. A subscription that is charged already does not change.
 */
export function decideResume(facts: BillingFacts, by: Party, context: BillingContext): Decision {
  const { subscription } = facts
  const refusal =
    refusalOf(subscription, 'subscription_incomplete', 'subscription_ended', 'authorization_exhausted') ??
    refusedToStart(subscription, by)
  if (refusal !== null) return refusal
  if (isCharging(subscription)) return UNCHANGED
  return moved(resume(startChange(subscription), facts, KEEP, context))
}

/** Clears a cancellation at the end of the period, and who has stopped billing. */
export const KEEP = { cancelAtPeriodEnd: false, canceledAt: null, stoppedBy: null } as const

/** Starts charging again with the period that contains now. Moves to `exhausted` when the slice does not cover it. */
export function resume(
  change: BillingChange,
  facts: BillingFacts,
  patch: SubscriptionPatch,
  context: BillingContext,
): BillingChange {
  const { now } = context
  const period = periodContaining(change.after, now)
  const resumed = { ...patch, ...NOTHING_DUE, ...inPeriod(period), ...passOver(change.after, period.index) }
  const active = goOn(change, facts, resumed, now)
  if (coverageOf(active) === 'none') {
    return moveTo(change, facts, 'exhausted', resumed, now, 'subscription.exhausted')
  }
  const delegation = toReadAgain(facts.delegation, now)
  const charged = delegation === facts.delegation ? active : withDelegation(active, facts.delegation, delegation)
  return settleTimes(planDue(settleCoverage(charged, facts, now), facts, context), facts, now)
}

/**
 * Moves to `active`, or back into a trial that goes on. A subscription that was only to end with its period is charged already, or
 * waits for its renewal.
 */
function goOn(change: BillingChange, facts: BillingFacts, patch: SubscriptionPatch, now: Date): BillingChange {
  const { status } = change.after
  if (status === 'trialing' || status === 'active' || status === 'renewal_required')
    return step(change, facts, patch, now, 'subscription.resumed')
  const running = isInTrial({ ...change.after, ...patch }) ? 'trialing' : 'active'
  return moveTo(change, facts, running, patch, now, 'subscription.resumed')
}

/**
 * Charges what is due for the business, and resumes a subscription that is paused, but not by its subscriber; nothing is charged
 * early. A cancellation at the end of the period stays, and refuses it. docs/billing.md, "Subscriptions".
 */
export function decideChargeNow(facts: BillingFacts, context: BillingContext): Decision {
  const { subscription, charge: own } = facts
  const { now } = context
  const refusal =
    refusalOf(
      subscription,
      'subscription_incomplete',
      'subscription_ended',
      'authorization_exhausted',
      'subscription_canceling',
    ) ?? refusedToStart(subscription, 'business')
  if (refusal !== null) return refusal
  const change = startChange(subscription)
  if (own !== null && isOpen(own.charge)) {
    if (own.charge.status !== 'failed') return refused('charge_in_progress', { charge_id: own.charge.id })
    // Its period has ended, for example: the charge of the present one takes its place.
    if (isGivenUp(subscription, own.charge, now)) return decideDue(facts, context)
    return notBefore(triableAt(own.charge, now), now) ?? moved(settleTimes(planAgain(change, own, context), facts, now))
  }
  if (subscription.status === 'paused') {
    const resumed = resume(change, facts, KEEP, context)
    return resumed.after.status === 'exhausted' ? exhausted(facts) : moved(resumed)
  }
  const planned = planDue(change, facts, context)
  if (planned !== change) return moved(settleTimes(planned, facts, now))
  if (subscription.nextChargeAt !== null)
    return refused('charge_already_scheduled', { next_charge_at: subscription.nextChargeAt.toISOString() })
  return exhausted(facts)
}

/** Refuses another try of a charge before a time, soon after it failed. */
function notBefore(at: Date, now: Date): Decision | null {
  const waitMs = at.getTime() - now.getTime()
  return waitMs > 0 ? refused('rate_limited', { retry_after_seconds: Math.ceil(waitMs / 1_000) }) : null
}

const exhausted = ({ subscription }: BillingFacts): Decision =>
  refused('authorization_exhausted', { status: subscription.status })

/**
 * Stops billing from now on. The subscription ends with its period, or at once; at once also where nothing was charged before, and
 * after a trial when nothing was ever paid, unless a charge is under way.
 * docs/billing.md, "Subscriptions".
 */
export function decideCancel(facts: BillingFacts, atPeriodEnd: boolean, by: Party, context: BillingContext): Decision {
  const { subscription } = facts
  const { now } = context
  const refusal = refusalOf(subscription, 'subscription_incomplete', 'subscription_ended')
  if (refusal !== null) return refusal
  const change = startChange(subscription)
  if (!atPeriodEnd || !STOPS_LATER.has(subscription.status)) return moved(cancelNow(change, facts, by, context))
  if (subscription.cancelAtPeriodEnd) return stoppedAgain(facts, by, context)
  const canceled = cancelOpen(change, facts, CANCELED, context)
  if (isNeverPaid(subscription) && openCharge(canceled, facts) === null)
    return moved(cancelNow(change, facts, by, context))
  const patch = { ...NOTHING_DUE, cancelAtPeriodEnd: true, canceledAt: now, stoppedBy: by }
  return moved(step(canceled, facts, patch, now, 'subscription.cancel_scheduled'))
}

const STOPS_LATER: ReadonlySet<string> = new Set(['trialing', 'active', 'renewal_required', 'past_due'])

/**
 * Makes the first charge possible again by another authorization, and plans it when it has failed. A subscription that has
 * become active, or has ended meanwhile, stays as it is.
 */
export function decideReapproved(
  facts: BillingFacts,
  consent: { readonly signature: Signature | null; readonly epoch: number },
  context: BillingContext,
): Decision {
  const { subscription, charge: own } = facts
  if (subscription.status !== 'incomplete' || own === null) return UNCHANGED
  const patch = { approveSignature: consent.signature, delegationEpoch: consent.epoch }
  const change = step(startChange(subscription), facts, patch, context.now, null)
  if (own.charge.status !== 'failed' || isGivenUp(subscription, own.charge, context.now)) return moved(change)
  return moved(settleTimes(planAgain(change, own, context), facts, context.now))
}

/** Tries a first charge that failed once more. Spec: "Hosted checkout". */
export function decideRetry(facts: BillingFacts, context: BillingContext): Decision {
  const { subscription, charge: own } = facts
  if (subscription.status === 'failed') return refused('checkout_closed')
  if (subscription.status !== 'incomplete' || own === null) return refused('checkout_completed')
  if (own.charge.status !== 'failed') return refused('charge_in_progress', { charge_id: own.charge.id })
  // The next round ends the subscription.
  if (isGivenUp(subscription, own.charge, context.now)) return refused('checkout_closed')
  const refusal = notBefore(askableAt(own.charge, context.now), context.now)
  return refusal ?? moved(settleTimes(planAgain(startChange(subscription), own, context), facts, context.now))
}

/**
 * Tries a failed charge again, at the request of the operator. Refuses while it is under way, and when another try cannot be
 * made: it has ended, its time is over, or the subscriber must approve again. The charge keeps its transfer, so that a retry
 * never pulls twice. The operator does not wait after a failure on the chain.
 */
export function decideChargeRetry(facts: BillingFacts, chargeId: string, context: BillingContext): Decision {
  const { subscription, charge: own } = facts
  // Every charge before the latest has succeeded or is canceled.
  if (own?.charge.id !== chargeId) return notRetryable('The charge has ended.')
  const { status } = own.charge
  if (status === 'pending' || status === 'submitted') return refused('charge_in_progress', { charge_id: chargeId })
  const obstacle = obstacleOfRetry(subscription, own.charge, context.now)
  if (obstacle !== null) return notRetryable(obstacle)
  const free = { ...own, charge: { ...own.charge, retryFrom: null } }
  return moved(settleTimes(planAgain(startChange(subscription), free, context), facts, context.now))
}

const notRetryable = (reason: string): Decision => refused('charge_not_retryable', { reason })

/** Returns why a charge that is not under way cannot be tried again, in a sentence; null when it can. */
function obstacleOfRetry(subscription: BillingSubscription, charge: Charge, now: Date): string | null {
  if (charge.status !== 'failed') return `The charge is ${charge.status}.`
  if (!isCharging(subscription)) return `The subscription is ${subscription.status}.`
  if (charge.failureCode !== null && RECOVERY[charge.failureCode] === 'reapprove')
    return 'The subscriber must approve again.'
  return isGivenUp(subscription, charge, now) ? 'The time of the charge is over.' : null
}
