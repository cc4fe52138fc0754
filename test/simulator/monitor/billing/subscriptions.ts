// Checks every change of a subscription when it is written, and every approve. docs/billing.md, "Subscriptions", "Charges" and
// "What always holds".
import type { Charge } from '#core/billing/charge.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { ChargeEventType } from '#core/billing/payload.ts'
import type { BillingSubscription } from '#core/billing/subscription.ts'
import type { Signature } from '#core/chain/types.ts'
import type { GivenConsent } from '#ports/billing.ts'
import type { BillingStage } from '../../billing/billing-stage.ts'
import type { Landed } from '../../chain/landed.ts'
import { replaced, type WorldPorts } from '../../ports.ts'
import { virtualNow } from '../../virtual-time.ts'
import type { Ground } from '../../world.ts'
import type { watchAttempts } from '../attempts.ts'
import type { watchChanges } from '../changes.ts'
import type { Findings } from '../findings.ts'
import type { Memory } from '../memory.ts'
import { CHARGING, eventOf, isDocumentedStep } from '../transitions.ts'
import {
  type Acts,
  beginOf,
  type CouponTerms,
  createActs,
  type Known,
  priceOf,
  remaining,
  sumOf,
  type TierTerms,
} from './agreements.ts'
import { STALE_MS, watchConsents } from './consents.ts'
import { DUNNING_MS, FIRST_CHARGE_MS, type Moment, type Pulls, watchPulls } from './pulls.ts'
import { watchReportedBilling } from './reported.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The clocks of instances may differ by half a minute each. */
const SKEW_MS = MINUTE_MS + 1_000
/** A decision is written at most this long after the service has read its time. */
const DECISION_MS = MINUTE_MS
const RETRY_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 20 * HOUR_MS]
/** Failures that time may cure. Each other failure is tried again every hour and later every day, or ends the subscription. */
const CURABLE: ReadonlySet<string | null> = new Set(['insufficient_funds', 'account_frozen', 'chain_unavailable'])

const CHARGE_EVENTS: Partial<Record<Charge['status'], ChargeEventType>> = {
  succeeded: 'charge.succeeded',
  failed: 'charge.failed',
}

export type SubscriptionMonitor = ReturnType<typeof watchSubscriptions>

export function watchSubscriptions(
  ground: Pick<Ground, 'chain' | 'faults' | 'trace' | 'lookAt' | 'stir' | 'failedAt'>,
  stage: BillingStage,
  findings: Findings,
  memory: Memory,
  parts: {
    readonly attempts: () => ReturnType<typeof watchAttempts>
    readonly changes: Pick<ReturnType<typeof watchChanges>, 'checkLedger' | 'count'>
    readonly onWritten: () => void
  },
) {
  const { faults, trace } = ground
  const tiers = new Map<string, TierTerms>()
  const coupons = new Map<string, CouponTerms>()
  const known = memory.map<string, Known>()
  /** The wallets and products that have had a trial. */
  const trials = memory.set<string>()
  const storedAt = new Map<Signature, Moment>()
  let order = 0
  const moment = (): Moment => {
    order += 1
    return { order, time: virtualNow() }
  }
  const acts = {
    /** By wallet: what its owner or an issuer did to its account. */
    account: createActs(virtualNow),
    pause: createActs(virtualNow),
    cancel: createActs(virtualNow),
    charge: createActs(virtualNow),
    /** By subscription: another tier was asked for. */
    change: createActs(virtualNow),
  } satisfies Record<string, Acts>
  const pulls: Pulls = watchPulls(ground, stage, findings, {
    known,
    keyOf: (signature) => parts.attempts().keyOf(signature),
    storedAt,
  })
  /** With clocks that are a day apart, times are compared with the wrong clock. */
  const clocksAgree = (): boolean => faults.counts['clock off by a day'] === 0

  const consents = watchConsents(ground, stage, findings, memory, {
    known,
    tiers,
    coupons,
    pulls,
    acts,
    clocksAgree,
    changes: parts.changes,
  })
  const reported = watchReportedBilling(stage, findings, { tiers, pulls })

  const begin = (subscription: BillingSubscription): Known | null => {
    const { id, tierId, accountId, couponId, subscriberWallet, status } = subscription
    const terms = tiers.get(tierId)
    findings.check(
      'no tenant reaches a subscription of another',
      terms !== undefined && terms.accountId === accountId,
      () => `subscription ${id} of ${accountId} is on tier ${tierId}`,
    )
    if (terms === undefined) return null
    const trial = checkTrial(subscription, terms)
    const coupon = (couponId === null ? null : coupons.get(couponId)) ?? null
    const made: Known = {
      id,
      wallet: subscriberWallet,
      createdAt: virtualNow(),
      terms,
      couponId,
      coupon,
      paid: 0,
      trialEnd: trial?.end ?? null,
      isAnnounced: false,
      isActivated: false,
      calendars:
        trial === null
          ? [{ rhythm: terms, from: 0, anchor: null }]
          : [
              { rhythm: terms, from: 0, anchor: trial.begin },
              { rhythm: terms, from: 1, anchor: trial.end },
            ],
      charged: new Map(),
      status,
      granted: sumOf(terms, coupon, 0, terms.periods),
      booked: 0n,
      submitted: 0n,
      stops: [],
      isCharged: true,
      planned: [],
      failures: 0,
      failed: null,
      triedBefore: null,
      failingSince: null,
      pastDueSince: null,
    }
    known.set(id, made)
    checkUses(made)
    return made
  }

  /** Each checkout that is completed uses its coupon once. */
  const checkUses = ({ id, couponId, coupon, wallet }: Known): void => {
    const uses = couponId === null ? [] : [...known.values()].filter((one) => one.couponId === couponId)
    const [all, ofWallet] = [uses.length, uses.filter((one) => one.wallet === wallet).length]
    findings.check(
      'a coupon is used as often as its business permits',
      (couponId === null) === (coupon === null) &&
        all <= (coupon?.maxUses ?? all) &&
        ofWallet <= (coupon?.maxUsesPerWallet ?? ofWallet),
      () => `${id} uses coupon ${couponId} of ${JSON.stringify(coupon)}: ${all} uses, ${ofWallet} of ${wallet}`,
    )
  }

  /** A wallet gets the trial of a tier when it has had none of the product, also in a subscription that has ended. */
  const checkTrial = (
    { id, subscriberWallet, status, trialEndsAt, createdAt }: BillingSubscription,
    { productId, trialDays }: TierTerms,
  ): { readonly begin: number; readonly end: number } | null => {
    const place = `${productId} ${subscriberWallet}`
    const isExpected = trialDays > 0 && !trials.has(place)
    findings.check(
      'a wallet has one trial of a product',
      (status === 'trialing') === isExpected && (trialEndsAt !== null) === isExpected,
      () => `${id} of ${subscriberWallet} is ${status}, until ${trialEndsAt?.toISOString()}`,
    )
    if (trialEndsAt === null) return null
    trials.add(place)
    const [begin, end] = [createdAt.getTime(), trialEndsAt.getTime()]
    const isInTime = !clocksAgree() || Math.abs(begin - virtualNow()) <= SKEW_MS + DECISION_MS
    findings.check(
      'nothing is pulled before a trial ends',
      isInTime && end - begin === trialDays * DAY_MS,
      () => `the trial of ${id} ends at ${trialEndsAt.toISOString()}, after ${trialDays} days`,
    )
    return { begin, end }
  }

  const NOTICE_MS = 3 * DAY_MS

  /**
   * The service was down when the trial ended, or could not store the announcement before it slept through the days until then, or
   * the subscription stopped until then: its end is announced no more.
   */
  const mayBeLate = ({ id, trialEnd, stops }: Known): boolean => {
    if (ground.failedAt.has(JSON.stringify({ subscription: id }))) return true
    const stopped = stops.at(-1)?.until?.time ?? Number.NEGATIVE_INFINITY
    const end = trialEnd ?? 0
    return !clocksAgree() || virtualNow() - end > LATE_MS || end - stopped < LATE_MS
  }
  const LATE_MS = 10 * MINUTE_MS

  /** The end of a trial is announced once, in its time and before the first charge is planned; and a first charge once. */
  const checkAnnounced = (own: Known, { before, events }: BillingChange): void => {
    const rule = 'the end of a trial is announced once, three days before'
    for (const event of events) {
      const now = virtualNow() + SKEW_MS + DECISION_MS
      if (event.type === 'subscription.trial_ending') {
        const isTime = own.trialEnd !== null && (now >= own.trialEnd - NOTICE_MS || now - NOTICE_MS <= own.createdAt)
        const isOver = own.trialEnd !== null && virtualNow() - SKEW_MS - DECISION_MS > own.trialEnd
        findings.check(
          rule,
          !own.isAnnounced && ((isTime && !isOver) || !clocksAgree()),
          () => `${own.id}, until ${own.trialEnd}`,
        )
        own.isAnnounced = true
      }
      if (event.type === 'charge.created' && before?.status === 'trialing')
        findings.check(
          rule,
          own.isAnnounced || mayBeLate(own),
          () => `${own.id} is charged, and the end of its trial was not announced`,
        )
      if (event.type !== 'subscription.activated') continue
      findings.check('one event for each step of a subscription', !own.isActivated, () => `${own.id} begins again`)
      own.isActivated = true
    }
  }

  /** One that is stopped may be used until the end of its period: while nothing was ever paid, that of the trial. */
  const checkEntitled = ({ id, trialEnd, booked, submitted }: Known, after: BillingSubscription): void => {
    const { status, cancelAtPeriodEnd, currentPeriodEnd, dueAt } = after
    if (trialEnd === null || booked > 0n) return
    const isEnding = cancelAtPeriodEnd && CHARGING.has(status) && submitted === 0n
    const until = status === 'revoked' ? currentPeriodEnd : isEnding ? dueAt : null
    findings.check(
      'who has never paid is entitled no longer than the trial',
      until === null || until.getTime() <= trialEnd,
      () => `${id} is ${status} until ${until?.toISOString()}, and its trial until ${trialEnd}`,
    )
  }

  const checkSteps = (own: Known, { before, after, events }: BillingChange): void => {
    const steps = events.flatMap((event) => ('subscription' in event ? [event] : []))
    let from = own.status
    for (const { type, subscription } of [...steps.map((one) => ({ ...one })), { type: null, subscription: after }]) {
      const to = subscription.status
      if (to === from) continue
      parts.changes.count(`subscription: ${from} → ${to}`)
      findings.check(
        'a subscription makes documented transitions only',
        isDocumentedStep(from, to),
        () => `${own.id}: ${from} to ${to}`,
      )
      findings.check(
        'one event for each step of a subscription',
        type !== null && eventOf(from, to).includes(type),
        () => `${own.id}: ${from} to ${to} with ${type}`,
      )
      checkReason(own, from, to)
      from = to
    }
    const version = before?.version ?? 0
    findings.check('versions grow', after.version > version, () => `${own.id}: ${version} to ${after.version}`)
    const stamps = steps.map(({ type, subscription }) => `${type} ${subscription.version}`)
    findings.check(
      'one event for each step of a subscription',
      new Set(stamps).size === stamps.length,
      () => `${own.id}: ${stamps.join(', ')}`,
    )
  }

  /** Nothing stops without an act of a person, or the time that it needs. */
  const checkReason = (own: Known, from: string, to: string): void => {
    // A charge fails at the time of the newest block that its provider has, which may be older than the world's time.
    const now = virtualNow() + SKEW_MS + DECISION_MS
    const rule = 'a subscription stops for a documented reason'
    const what = () => `${own.id}: ${from} to ${to} ${JSON.stringify(own.failed)}`
    const everTouched = acts.account.since(own.wallet, 0)
    if (to === 'revoked') findings.check(rule, consents.isTouched(own.wallet), what)
    if (to === 'past_due') findings.check(rule, everTouched || own.failed?.code === 'chain_unavailable', what)
    if (to === 'canceled') findings.check(rule, acts.cancel.since(own.id, 0), what)
    if (to === 'exhausted') findings.check(rule, remaining(own) < priceOf(own.terms, own.coupon, own.paid), what)
    if (!clocksAgree()) return
    if (to === 'failed') findings.check(rule, now - own.createdAt >= FIRST_CHARGE_MS, what)
    if (to === 'paused') {
      const isOver = own.pastDueSince !== null && now - own.pastDueSince >= DUNNING_MS
      findings.check(rule, isOver || acts.pause.since(own.id, 0), what)
    }
  }

  /** Its creation, its success and each of its failures are events. */
  const checkChargeEvent = (own: Known, charge: Charge, events: BillingChange['events']): void => {
    const type = charge.version === 1 ? 'charge.created' : CHARGE_EVENTS[charge.status]
    if (type === undefined) return
    findings.check(
      'one event for each step of a charge',
      events.filter((event) => event.type === type && event.charge.id === charge.id).length === 1,
      () =>
        `period ${charge.periodIndex} of ${own.id} is ${charge.status}: ${events.map((one) => one.type).join(', ')}`,
    )
  }

  const onCharge = (own: Known, charge: Charge, events: BillingChange['events']): void => {
    const has = (type: ChargeEventType) => events.some((event) => event.type === type && event.charge.id === charge.id)
    const isNew = has('charge.created')
    own.submitted = charge.status === 'submitted' ? charge.amount : 0n
    if (charge.status === 'succeeded') {
      own.booked += charge.amount
      own.paid += 1
    }
    if (isNew) onPlanned(own, charge)
    if (charge.status === 'pending' && !isNew) checkRetry(own)
    if (!has('charge.failed')) return
    const { failureCode: code } = charge
    // The instance's clock may be ahead of the world's.
    own.failingSince ??= Math.max(virtualNow(), charge.firstFailedAt?.getTime() ?? 0)
    const isCurable = CURABLE.has(code)
    // Such a try changes neither the count of failures nor the time of the next one.
    const { triedBefore } = own
    const isBefore = isCurable && triedBefore !== null && virtualNow() < triedBefore + SKEW_MS
    if (isCurable) own.pastDueSince ??= virtualNow()
    if (isCurable && !isBefore) own.failures += 1
    const nextAt = isBefore ? triedBefore : virtualNow() + waitAfter(own, isCurable)
    if (charge.status === 'failed') own.failed = { at: virtualNow(), code, nextAt }
  }

  /** Returns the wait after a failure that is now. */
  const waitAfter = ({ failures, failingSince }: Known, isCurable: boolean): number => {
    if (isCurable) return RETRY_MS[failures - 1] ?? DAY_MS
    const isFirstDay = failingSince === null || virtualNow() - failingSince < DAY_MS + SKEW_MS
    return isFirstDay ? HOUR_MS : DAY_MS
  }

  /** Missed periods, and what follows the last of them, are charged at most one a day. */
  const onPlanned = (own: Known, { periodIndex, amount }: Charge): void => {
    const price = priceOf(own.terms, own.coupon, own.paid)
    findings.check(
      'a pull is the agreed amount',
      amount === price,
      () => `period ${periodIndex} of ${own.id} is planned with ${amount}, agreed on ${price}`,
    )
    findings.check(
      'a pull is the agreed amount',
      periodIndex >= (own.calendars.at(-1)?.from ?? 0),
      () => `period ${periodIndex} of ${own.id} is planned at the price of a later calendar`,
    )
    own.charged.set(periodIndex, { ...own.terms, unit: price })
    const end = beginOf(own, pulls.anchorOf(own.id), periodIndex + 1)
    const last = own.planned.at(-1)
    const isMissed = end !== null && end <= virtualNow() - SKEW_MS
    own.planned.push({ at: virtualNow(), isMissed })
    own.failed = null
    own.failingSince = null
    if (last === undefined || !clocksAgree()) return
    const passed = virtualNow() - last.at
    findings.check(
      'missed periods are charged one a day',
      !(isMissed || last.isMissed) || passed >= DAY_MS - SKEW_MS - DECISION_MS,
      () => `period ${periodIndex} of ${own.id} after ${passed / HOUR_MS} hours`,
    )
  }

  const checkRetry = (own: Known): void => {
    const { failed } = own
    own.triedBefore = null
    if (failed === null) return
    const isAsked = acts.charge.since(own.id, failed.at - STALE_MS)
    const isRefilled = failed.code === 'insufficient_funds' && acts.account.since(own.wallet, failed.at - STALE_MS)
    const mayComeBefore = isAsked || isRefilled
    if (mayComeBefore && own.failures > 0 && virtualNow() < failed.nextAt + SKEW_MS) own.triedBefore = failed.nextAt
    if (!clocksAgree()) return
    const [passed, wait] = [virtualNow() - failed.at, failed.nextAt - failed.at]
    findings.check(
      'failed charges are retried at the documented times',
      passed >= wait - SKEW_MS - DECISION_MS || mayComeBefore,
      () => `${own.id}: failure ${own.failures} with ${failed.code} is retried after ${passed} ms, and not ${wait}`,
    )
  }

  const onApplied = (change: BillingChange, consent: GivenConsent | null): void => {
    const { before, after, charges, transfers, events } = change
    trace.note(
      `subscription ${after.id.slice(0, 8)}: ${before?.status ?? 'none'} → ${after.status}` +
        `${events.map(({ type }) => ` ${type}`).join('')}` +
        `${charges.map(({ periodIndex, status, failureCode }) => ` [${periodIndex} ${status} ${failureCode ?? ''}]`).join('')}`,
    )
    const own = before === null ? begin(after) : known.get(after.id)
    if (own == null) return
    parts.attempts().onPlanned(transfers)
    parts.changes.checkLedger(change.ledger)
    consents.onTerms(own, change, consent)
    for (const charge of charges) {
      checkChargeEvent(own, charge, events)
      onCharge(own, charge, events)
    }
    checkAnnounced(own, change)
    checkEntitled(own, after)
    checkSteps(own, change)
    noteStatus(own, after)
    consents.checkCovered(own.wallet)
    reported.onApplied(own, events)
    if (after.dueAt !== null) {
      const { version } = after
      for (const off of [-2_000, 3_000, 30_000])
        ground.lookAt(after.dueAt.getTime() + off, () => newest.get(after.id) === version)
    }
    newest.set(after.id, after.version)
    parts.onWritten()
    ground.stir()
  }
  const newest = memory.map<string, number>()

  const noteStatus = (own: Known, { status, cancelAtPeriodEnd }: BillingSubscription): void => {
    const [was, is] = [own.isCharged, CHARGING.has(status) && !cancelAtPeriodEnd]
    if (was && !is) {
      own.stops.push({ from: moment(), until: null })
      // When a person lets charging go on, the charge is tried at once.
      own.failed = null
    }
    const open = own.stops.at(-1)
    if (!was && is && open !== undefined) open.until = moment()
    own.status = status
    own.isCharged = is
    if (status !== 'past_due' && status !== 'incomplete') {
      own.failures = 0
      own.pastDueSince = null
    }
  }

  return {
    acts,
    tiers,
    coupons,
    known,
    pulls,
    texts: consents.texts,
    outstanding: consents.outstanding,
    charging: consents.charging,
    isSponsored: consents.isSponsored,
    onForgotten: consents.onForgotten,
    isForgotten: consents.isForgotten,
    watchSponsor: consents.watchSponsor,
    onSent: reported.onSent,
    onStored(signature: Signature): void {
      storedAt.set(signature, moment())
      const own = pulls.subscriptionOf(signature)
      if (own !== null) consents.onSigned(own)
    },

    watch(ports: WorldPorts): Pick<WorldPorts, 'billing' | 'approvals'> {
      const { billing } = ports
      return {
        ...consents.watch(ports),
        billing: replaced(billing, {
          async apply(change, ...rest) {
            const done = await billing.apply(change, ...rest)
            if (done) onApplied(change, rest[1] ?? null)
            if (done) consents.onConsent(change.after.id, rest[1] ?? null, change.before === null)
            return done
          },
        }),
      }
    },

    onLanded(landed: Landed): void {
      pulls.onLanded(landed)
      consents.onLanded(landed)
    },
  }
}
