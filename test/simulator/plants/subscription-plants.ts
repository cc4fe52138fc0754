// Mistakes about the life of a subscription: what is read of it, what is written, and what others take from its allowance.
import type { Charge } from '#core/billing/charge.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { NewChallenge } from '#core/billing/proof/challenge.ts'
import { remainingAmount, type Slice } from '#core/billing/room.ts'
import { type BillingSubscription, SUBSCRIPTION_POLICY } from '#core/billing/subscription.ts'
import { makeBaseUnits, ZERO } from '#core/money/amounts.ts'
import type { DelegationStore, StoredFacts } from '#ports/billing.ts'
import { replaced } from '../ports.ts'
import { virtualNow } from '../virtual-time.ts'
import { type Above, type Below, changed, slicesRead, withBilling } from './billing-ports.ts'
import type { Plant } from './plant.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Facts are altered on their way from the store. */
const factsRead =
  (alter: (facts: StoredFacts) => StoredFacts): Above =>
  (ports) => {
    const altered = (facts: StoredFacts | null) => (facts === null ? null : alter(facts))
    return withBilling(ports, {
      facts: async (id) => altered(await ports.billing.facts(id)),
      factsOfCharge: async (id) => altered(await ports.billing.factsOfCharge(id)),
    })
  }

const both =
  (one: Above, other: Above): Above =>
  (ports, ground) =>
    other(one(ports, ground), ground)

const withSubscription = (facts: StoredFacts, patch: Partial<BillingSubscription>): StoredFacts => ({
  ...facts,
  subscription: { ...facts.subscription, ...patch },
})

const withAfter = (change: BillingChange, patch: Partial<BillingSubscription>): BillingChange => ({
  ...change,
  after: { ...change.after, ...patch },
})

/** Writes over whatever is stored. */
const overwritten: Below = (ports) =>
  withBilling(ports, {
    async apply(change, delegation, consent) {
      const stored = change.before === null ? null : await ports.billing.facts(change.after.id)
      if (stored === null || change.before === null) return await ports.billing.apply(change, delegation, consent)
      const { version } = stored.subscription
      const over = {
        ...change,
        before: { ...change.before, version },
        after: { ...change.after, version: version + 1 },
      }
      return await ports.billing.apply(over, stored.delegation, consent)
    },
  })

/** A pause leaves the charge as it is, and the worker that sends the charge reads the subscription as active. */
const sentWhilePaused: Above = both(
  factsRead((facts) =>
    facts.subscription.status === 'paused' ? withSubscription(facts, { status: 'active' }) : facts,
  ),
  changed((change) => {
    const isPause = change.events.some(({ type }) => type === 'subscription.paused')
    return isPause ? { ...change, charges: [], statusOverride: null } : change
  }),
)

/** A scheduled end is not read while `isUnread`, and stays scheduled. */
function endForgotten(isUnread: (subscription: BillingSubscription) => boolean): Above {
  const scheduled = new Set<string>()
  return both(
    changed((change) => (scheduled.has(change.after.id) ? withAfter(change, { cancelAtPeriodEnd: true }) : change)),
    factsRead((facts) => {
      const { id, cancelAtPeriodEnd } = facts.subscription
      if (cancelAtPeriodEnd) scheduled.add(id)
      else scheduled.delete(id)
      return isUnread(facts.subscription) ? withSubscription(facts, { cancelAtPeriodEnd: false }) : facts
    }),
  )
}

const isBeforeEnd = ({ currentPeriodEnd }: BillingSubscription): boolean =>
  currentPeriodEnd !== null && virtualNow() < currentPeriodEnd.getTime()

/** A cancellation at the end of the period leaves the charge and its next try as they are. */
const chargeKept = (change: BillingChange): BillingChange => {
  const { before } = change
  if (before === null || !change.events.some(({ type }) => type === 'subscription.cancel_scheduled')) return change
  const { dueAt, pastDueSince, dunningAttempts } = before
  return withAfter({ ...change, charges: [], statusOverride: null }, { dueAt, pastDueSince, dunningAttempts })
}

/** Every failure is the first. */
function firstFailureAgain(change: BillingChange): BillingChange {
  const failed = change.charges.find(({ status, nextAttemptAt }) => status === 'failed' && nextAttemptAt !== null)
  if (failed === undefined || change.after.dunningAttempts < 2) return change
  const nextAttemptAt = new Date(failed.updatedAt.getTime() + 5 * MINUTE_MS)
  const charges = change.charges.map((charge) => (charge === failed ? { ...charge, nextAttemptAt } : charge))
  const times = { nextChargeAt: nextAttemptAt, dueAt: nextAttemptAt }
  return withAfter({ ...change, charges }, { dunningAttempts: 1, pastDueSince: failed.updatedAt, ...times })
}

/** The first charge has two transfers. */
function armedTwice(change: BillingChange): BillingChange {
  if (change.before !== null) return change
  const again = change.transfers.map((transfer) => ({ ...transfer, key: `${transfer.key}:again`, round: 2 }))
  return { ...change, transfers: [...change.transfers, ...again] }
}

/** Slices that are gone still count, with what they had. */
function neverReleased(): Above {
  return (ports) => {
    const last = new Map<string, Map<string, Slice>>()
    const delegations = replaced<DelegationStore>(ports.delegations, {
      async slices(id) {
        const slices = await ports.delegations.slices(id)
        const seen = last.get(id) ?? new Map<string, Slice>()
        last.set(id, seen)
        const present = new Map(slices.map((slice) => [slice.subscriptionId, slice]))
        const gone = [...seen.values()].filter((slice) => !present.has(slice.subscriptionId))
        for (const slice of slices) if (slice.remaining > ZERO) seen.set(slice.subscriptionId, slice)
        return [...slices, ...gone.map((slice) => ({ ...slice, status: 'active' as const }))]
      },
    })
    return { ...ports, delegations }
  }
}

/** The next period is counted from the present one: after a short month, a subscription of the 31st stays on the 28th. */
const chained = (facts: StoredFacts): StoredFacts => {
  const { currentPeriodStart: anchor, periodIndex: anchorPeriod, nextChargePeriod } = facts.subscription
  // Periods that were missed are charged as they were.
  const isBehind = nextChargePeriod <= anchorPeriod
  return anchor === null || isBehind ? facts : withSubscription(facts, { anchor, anchorPeriod })
}

/** A subscription looks as if it were the only one of its wallet, while it is charged. */
const alone = (facts: StoredFacts): StoredFacts =>
  SUBSCRIPTION_POLICY[facts.subscription.status].isCharging ? { ...facts, others: [] } : facts

/** Charges look as if they had been planned two days earlier. */
const plannedLongAgo = (facts: StoredFacts): StoredFacts => {
  const { charge: own } = facts
  if (own === null) return facts
  const createdAt = new Date(own.charge.createdAt.getTime() - 2 * DAY_MS)
  return { ...facts, charge: { ...own, charge: { ...own.charge, createdAt } } }
}

/** A charge that failed is tried again a minute later. */
function retriedSoon(change: BillingChange): BillingChange {
  const failed = change.charges.find(({ status, nextAttemptAt }) => status === 'failed' && nextAttemptAt !== null)
  if (failed === undefined || change.after.status !== 'past_due') return change
  const nextAttemptAt = new Date(failed.updatedAt.getTime() + MINUTE_MS)
  const charges = change.charges.map((charge) => (charge === failed ? { ...charge, nextAttemptAt } : charge))
  return withAfter({ ...change, charges }, { nextChargeAt: nextAttemptAt, dueAt: nextAttemptAt })
}

const isOtherTier = ({ before, after }: BillingChange): boolean => before !== null && before.tierId !== after.tierId

const isOtherInterval = (change: BillingChange): boolean =>
  isOtherTier(change) && change.before?.anchorPeriod !== change.after.anchorPeriod

/** The present period, which was missed, is still charged after a change of the interval, at the new unit amount. */
const stillCharged = (change: BillingChange): BillingChange => {
  const { before, after } = change
  const isPassed = after.nextChargePeriod > after.periodIndex
  return before !== null && isOtherInterval(change) && isPassed && before.nextChargePeriod <= before.periodIndex
    ? withAfter(change, { nextChargePeriod: after.periodIndex, dueAt: after.updatedAt })
    : change
}

/** The slice stays as large as before the change to a cheaper tier. */
const sliceKept = (change: BillingChange): BillingChange => {
  const { before, after } = change
  if (before === null || !isOtherTier(change) || remainingAmount(before) <= after.authorizedAmount) return change
  return withAfter(change, { authorizedAmount: remainingAmount(before) })
}

/** The calendar of another interval begins at the time of the change. */
const rhythmAtOnce = (change: BillingChange): BillingChange => {
  const { after } = change
  if (!isOtherInterval(change) || after.anchor === null) return change
  const times = { anchor: after.updatedAt, currentPeriodEnd: after.updatedAt, dueAt: after.updatedAt }
  return withAfter(change, times)
}

/** Shows the whole charge as paid out. */
const netInflated = (change: BillingChange): BillingChange => ({
  ...change,
  events: change.events.map((event) =>
    event.type === 'charge.succeeded'
      ? { ...event, charge: { ...event.charge, netAmount: event.charge.amount } }
      : event,
  ),
})

/** A signed text counts for whatever was asked of its wallet last. */
function boundToWallet(): Above {
  return (ports) => {
    const last = new Map<string, NewChallenge>()
    const challenges = replaced(ports.challenges, {
      issue(challenge, limit) {
        last.set(String(challenge.wallet), challenge)
        return ports.challenges.issue(challenge, limit)
      },
      async find(nonceHash) {
        const found = await ports.challenges.find(nonceHash)
        const asked = last.get(String(found?.wallet))
        if (found === null || asked === undefined) return found
        const { purpose, network, wallet, subjectId, tokenHash, termsHash } = asked
        return { ...found, purpose, network, wallet, subjectId, tokenHash, termsHash }
      },
    })
    return { ...ports, challenges }
  }
}

const withoutEvent =
  (type: string) =>
  (change: BillingChange): BillingChange => ({
    ...change,
    events: change.events.filter((event) => event.type !== type),
  })

/** The first period begins before the trial ends. */
function firstPeriodEarly(change: BillingChange): BillingChange {
  const { trialEndsAt } = change.after
  if (change.before !== null || trialEndsAt === null) return change
  const early = new Date(trialEndsAt.getTime() - 120 * MINUTE_MS)
  return withAfter(change, { anchor: early, currentPeriodEnd: early, nextChargeAt: early, dueAt: early })
}

/** Earlier trials are not found, and the row of a new one names a product that does not exist. */
const trialsForgotten: Above = both(
  (ports) => ({ ...ports, checkouts: replaced(ports.checkouts, { hadTrial: async () => false }) }),
  changed((change) => {
    const isNew = change.before === null && change.after.trialProductId !== null
    return isNew ? withAfter(change, { trialProductId: change.after.id }) : change
  }),
)

/** The announcement stays due. */
const announcedAgain = (change: BillingChange): BillingChange =>
  change.events.some(({ type }) => type === 'subscription.trial_ending')
    ? withAfter(change, { trialNoticeAt: change.before?.trialNoticeAt ?? null, dueAt: change.after.updatedAt })
    : change

/** A revocation leaves the period that was not paid as the current one. */
function unpaidPeriodKept(change: BillingChange): BillingChange {
  const { before, after } = change
  if (before === null || before.status === after.status || after.status !== 'revoked') return change
  const { periodIndex, currentPeriodStart, currentPeriodEnd } = before
  return withAfter(change, { periodIndex, currentPeriodStart, currentPeriodEnd })
}

/** Each charge that is made has the discount of the one before. */
const discountKept = (change: BillingChange): BillingChange =>
  change.before !== null && change.charges.some(isPulled)
    ? withAfter(change, { discountedPeriods: change.before.discountedPeriods })
    : change

/** The discount of a percentage is a base unit more where its cents are no whole number. */
function discountRoundedUp(change: BillingChange): BillingChange {
  const { discount, unitAmount, discountedAmount } = change.after
  if (change.before !== null || discount?.percentOff == null) return change
  const isRounded = (unitAmount * BigInt(discount.percentOff)) % 100n !== 0n
  return isRounded ? withAfter(change, { discountedAmount: makeBaseUnits(discountedAmount - 1n) }) : change
}

/** The store of coupons keeps no limit, so that nothing is counted. */
const unlimited: Below = (ports) => ({
  ...ports,
  subscriptionCoupons: replaced(ports.subscriptionCoupons, {
    create: (tenant, coupon) =>
      ports.subscriptionCoupons.create(tenant, { ...coupon, maxUses: null, maxUsesPerWallet: null }),
  }),
})

const isPulled = ({ status }: Charge): boolean => status === 'succeeded'

const MISTAKES: readonly Omit<Plant, 'subscriptions'>[] = [
  {
    name: 'stop-not-remembered',
    mistake: 'A stop of the subscriber is stored as one of the business.',
    above: changed((change) =>
      change.after.stoppedBy === 'subscriber' ? withAfter(change, { stoppedBy: 'business' }) : change,
    ),
  },
  {
    name: 'subscription-overwritten',
    mistake: 'A change is written whatever has happened to the subscription since it was read.',
    below: overwritten,
  },
  {
    name: 'paused-charge-sent',
    mistake: 'A charge that waits is sent although its subscription was paused.',
    above: sentWhilePaused,
  },
  {
    name: 'charged-until-the-end',
    mistake: 'An unpaid charge is tried until the period ends, although its subscription was canceled.',
    above: (ports, ground) => both(endForgotten(isBeforeEnd), changed(chargeKept))(ports, ground),
  },
  {
    name: 'charged-after-the-end',
    mistake: 'A cancellation at the end of the period is forgotten when the period ends.',
    above: (ports, ground) => endForgotten(() => true)(ports, ground),
  },
  {
    name: 'trial-charged-early',
    mistake: 'The first charge is due two hours before the trial ends.',
    above: changed(firstPeriodEarly),
  },
  {
    name: 'trial-given-twice',
    mistake: 'A wallet gets a trial of a product again, and the row does not name the product.',
    above: trialsForgotten,
  },
  {
    name: 'trial-end-announced-again',
    mistake: 'The end of a trial stays due to be announced.',
    above: changed(announcedAgain),
  },
  {
    name: 'unpaid-period-used',
    mistake: 'Who has never paid may use the period after the trial when the allowance is taken back.',
    above: changed(unpaidPeriodKept),
  },
  {
    name: 'dunning-begins-again',
    mistake: 'Every failure of a charge counts as the first.',
    above: changed(firstFailureAgain),
  },
  {
    name: 'first-charge-armed-twice',
    mistake: 'A checkout plans two transfers of its first charge.',
    above: changed(armedTwice),
  },
  {
    name: 'slice-not-released',
    mistake: 'The slice of a canceled subscription still counts in the next approve.',
    above: neverReleased(),
  },
  {
    name: 'spent-not-counted',
    mistake: 'A charge that succeeded is not counted against the authorization.',
    above: changed((change) =>
      change.before !== null && change.charges.some(isPulled)
        ? withAfter(change, { spentAmount: change.before.spentAmount })
        : change,
    ),
  },
  {
    name: 'discount-never-used-up',
    mistake: 'A charge that succeeded uses nothing of the discount, and too many have it.',
    above: changed(discountKept),
  },
  {
    name: 'discount-rounded-up',
    mistake: 'The discount of a percentage is rounded up to a cent.',
    above: changed(discountRoundedUp),
  },
  {
    name: 'coupon-uses-not-counted',
    mistake: 'The uses of a coupon are not counted against its limits.',
    below: unlimited,
  },
  {
    name: 'period-chained',
    mistake: 'A period is counted from the one before it, and not from the first.',
    above: factsRead(chained),
  },
  {
    name: 'missed-periods-at-once',
    mistake: 'Missed periods are charged one after the other, without a day between them.',
    above: factsRead(plannedLongAgo),
  },
  {
    name: 'failed-charge-hammered',
    mistake: 'A failed charge is tried again every minute.',
    above: changed(retriedSoon),
  },
  {
    name: 'revoked-slice-counted',
    mistake: 'The slice of a revoked subscription still counts in the next approve.',
    above: slicesRead((slices) =>
      slices.map((slice) => (slice.status === 'revoked' ? { ...slice, status: 'active' } : slice)),
    ),
  },
  {
    name: 'revocation-despite-others',
    mistake: 'The end of the allowance is offered although other subscriptions of the wallet use it.',
    above: factsRead((facts) => (facts.subscription.status === 'canceled' ? { ...facts, others: [] } : facts)),
  },
  {
    name: 'slice-kept-by-a-cheaper-tier',
    mistake: 'A change to a cheaper tier keeps the larger slice.',
    above: changed(sliceKept),
  },
  {
    name: 'rhythm-changed-at-once',
    mistake: 'A change to another interval begins its calendar at once, and not with the next period.',
    above: changed(rhythmAtOnce),
  },
  {
    name: 'cover-judged-alone',
    mistake: 'A subscription is judged without the older ones of its wallet, and takes what covers them.',
    above: factsRead(alone),
  },
  {
    name: 'missed-periods-at-the-new-price',
    mistake: 'A period that was missed before a change of the interval is still charged, at the price of the new one.',
    above: changed(stillCharged),
  },
  {
    name: 'text-not-bound',
    mistake: 'A signed text counts for whatever was asked of its wallet last.',
    above: (ports, ground) => boundToWallet()(ports, ground),
  },
  {
    name: 'portal-breaks',
    mistake: 'Every request by a link to the portal fails with an error that is no refusal.',
    above: (ports) => ({
      ...ports,
      portalSessions: replaced(ports.portalSessions, { find: () => Promise.reject(new RangeError('planted')) }),
    }),
  },
  {
    name: 'net-amount-inflated',
    mistake: 'The event of a charge shows the whole charge as paid out.',
    above: changed(netInflated),
  },
  {
    name: 'charge-event-dropped',
    mistake: 'No event is sent for a charge that failed.',
    above: changed(withoutEvent('charge.failed')),
  },
]

export const SUBSCRIPTION_PLANTS: readonly Plant[] = MISTAKES.map((plant) => ({ ...plant, subscriptions: true }))
