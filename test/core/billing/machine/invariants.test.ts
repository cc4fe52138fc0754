// Random courses of a subscription never break what docs/billing.md says always holds.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Charge, FailureCode } from '#core/billing/charge.ts'
import type { Coupon } from '#core/billing/coupon.ts'
import { nextAmount } from '#core/billing/discount.ts'
import { isOpen, unpaidCharge } from '#core/billing/entitlement.ts'
import type { Decision } from '#core/billing/machine/change.ts'
import { isUnderWay } from '#core/billing/machine/charging.ts'
import { decideChargeNow, decideRetry } from '#core/billing/machine/manage.ts'
import { decideRefilled } from '#core/billing/machine/revoking.ts'
import { isGivenUp } from '#core/billing/machine/schedule.ts'
import { type AgreedOrder, decideTermChange } from '#core/billing/machine/terms.ts'
import { chargeEventData, chargeFromJson, subscriptionEventData, subscriptionFromJson } from '#core/billing/payload.ts'
import { isCharging } from '#core/billing/subscription.ts'
import { judgeTermChange, type TermOrder } from '#core/billing/term-change.ts'
import type { Tier } from '#core/billing/tier.ts'
import { MAX_U64, subtractToZero, ZERO } from '#core/money/amounts.ts'
import { cancelLater, cancelNow, pause, resume } from '../../../support/charge.ts'
import { amountOff, couponWith } from '../../../support/coupon.ts'
import { signatureNo, units } from '../../../support/payment.ts'
import { DAY, HOUR, MINUTE, SubscriptionWorld, TIER, termsOf } from '../../../support/subscription-world.ts'

const TIERS: readonly Tier[] = [
  TIER,
  { ...TIER, id: 'daily', interval: 'day', unitBaseUnits: units(1_000_000n), authorizationPeriods: 3 },
  { ...TIER, id: 'cheap', unitBaseUnits: units(4_000_000n), authorizationPeriods: 2 },
  {
    ...TIER,
    id: 'weekly',
    interval: 'week',
    intervalCount: 2,
    unitBaseUnits: units(33_000_000n),
    authorizationPeriods: 1,
  },
]

const CODES: readonly FailureCode[] = [
  'insufficient_funds',
  'account_frozen',
  'chain_unavailable',
  'delegate_revoked',
  'allowance_insufficient',
  'destination_unavailable',
  'platform_error',
]

type Command = { readonly name: string; readonly run: (course: Course) => void }

/** The state of the attempt that may land; null without one, and before the first charge. */
const liveOf = ({ facts: { charge } }: SubscriptionWorld) => charge?.live ?? null

const canAttempt = ({ facts: { charge } }: SubscriptionWorld): boolean => charge !== null && charge.live === null

/** A course of one subscription, checked after every command. */
class Course {
  readonly world: SubscriptionWorld
  /** When billing went on after it was stopped. */
  #resumedAt: Date | null = null
  #wasCharging = true
  readonly #pulled = new Set<number>()
  readonly #planned = new Map<number, Charge>()
  #approval: AgreedOrder | null = null
  /** What was pulled since the approve landed that was prepared last. It may be booked later; null before it lands. */
  #pulledSince: bigint | null = null
  #agreedAt = new Date(0)

  constructor(tier: Tier, trialDays: number, coupon: Coupon | null) {
    this.world =
      trialDays === 0 ? SubscriptionWorld.incomplete(tier, coupon) : SubscriptionWorld.trialing(trialDays, tier, coupon)
    this.check()
  }

  /** Applies a decision. A refusal is an answer too. */
  decide(decision: Decision): void {
    if (decision.kind !== 'refused') this.world.apply(decision)
  }

  order(order: TermOrder, by: 'nothing' | 'proof' | 'approve', tier: Tier): void {
    const { world } = this
    const judged = judgeTermChange(world.facts, order)
    if (judged.kind === 'refused') return
    const epoch = world.facts.delegation.epoch + 1
    const approve = {
      by: 'approve',
      signature: signatureNo(77),
      epoch,
      pulledSince: ZERO,
      agreedAt: world.now,
    } as const
    const consent = by === 'approve' ? approve : { by }
    const agreed = { kind: order.kind, agreed: judged.terms, next: termsOf(tier) }
    const decision = decideTermChange(world.facts, agreed, consent, world.context())
    this.decide(decision)
    if (decision.kind === 'moved') world.facts = { ...world.facts, terms: termsOf(tier) }
  }

  /** Prepares an approve for an order. It may land at any later time. */
  ask(order: TermOrder, tier: Tier): void {
    const judged = judgeTermChange(this.world.facts, order)
    if (judged.kind === 'refused') return
    this.#approval = { kind: order.kind, agreed: judged.terms, next: termsOf(tier) }
    this.#pulledSince = null
    this.#agreedAt = this.world.now
  }

  /** The approve that was prepared last has landed, and is not booked yet. */
  landApprove(): void {
    this.#pulledSince ??= 0n
  }

  /** The approve that was prepared last is booked. */
  approve(): void {
    const { world } = this
    const order = this.#approval
    if (order === null) return
    this.#approval = null
    const pulledSince = units(this.#pulledSince ?? 0n)
    const epoch = world.facts.delegation.epoch + 1
    const consent = { by: 'approve', signature: signatureNo(78), epoch, pulledSince, agreedAt: this.#agreedAt } as const
    const { unitAmount, interval, intervalCount } = world.subscription
    // A renewal keeps the tier that the subscription is on by then.
    const next = order.kind === 'renew' ? world.facts.terms : order.next
    const decision = decideTermChange(world.facts, { ...order, next }, consent, world.context())
    this.decide(decision)
    if (decision.kind !== 'moved') return
    world.facts = { ...world.facts, terms: next }
    // 2: a renewal changes neither price nor rhythm.
    if (order.kind === 'renew') expect(world.subscription).toMatchObject({ unitAmount, interval, intervalCount })
    // 2: never more than is left of what was agreed.
    const left = subtractToZero(order.agreed.slice, pulledSince)
    expect(world.subscription.authorizedAmount).toBeLessThanOrEqual(left)
  }

  sign(): void {
    const { world } = this
    if (liveOf(world) !== 'prepared' || !world.maySign()) return
    const { periodIndex, periodStart, periodEnd } = world.latest
    // 3: no pull before its period begins, or while billing is stopped; none before a trial ends.
    expect(world.now >= periodStart).toBe(true)
    const { trialEndsAt } = world.subscription
    if (trialEndsAt !== null) expect(world.now >= trialEndsAt).toBe(true)
    expect(isCharging(world.subscription)).toBe(true)
    // 3: none for a period that ended before billing went on.
    if (this.#resumedAt !== null && periodEnd !== null) expect(periodEnd > this.#resumedAt).toBe(true)
    // 3: none whose time is over, however long the service was down.
    expect(isGivenUp(world.subscription, { ...world.latest, status: 'pending' }, world.now)).toBe(false)
    expect(this.#pulled.has(periodIndex)).toBe(false)
    world.sign()
  }

  land(failure: FailureCode | null): void {
    const { world } = this
    if (liveOf(world) !== 'sent') return
    world.land(failure)
    if (failure !== null) return
    // 1: at most one pull for each period, of the amount of its charge.
    expect(this.#pulled.has(world.latest.periodIndex)).toBe(false)
    this.#pulled.add(world.latest.periodIndex)
    if (this.#pulledSince !== null) this.#pulledSince += world.latest.amount
  }

  /** Does everything that is due at this moment. It ends. */
  due(): void {
    for (let rounds = 0; this.world.due(); rounds += 1) {
      expect(rounds).toBeLessThan(8)
      this.check()
    }
    const { dueAt } = this.world.subscription
    expect(dueAt === null || dueAt > this.world.now).toBe(true)
  }

  check(): void {
    const { subscription, charges, now } = this.world
    const own = this.world.facts.charge
    const goesOn = isCharging(subscription)
    if (goesOn && !this.#wasCharging) this.#resumedAt = now
    this.#wasCharging = goesOn
    // 2: an authorization is never overdrawn, the charge under way included.
    const underWay = own !== null && isUnderWay(own) ? own.charge.amount : 0n
    expect(subscription.spentAmount + underWay).toBeLessThanOrEqual(subscription.authorizedAmount)
    const pulled = this.world.pulls.reduce((sum, { amount }) => sum + amount, 0n)
    expect(subscription.earlierAmount + subscription.spentAmount).toBe(pulled)
    if (own !== null && isOpen(own.charge) && goesOn)
      expect(subscription.spentAmount + own.charge.amount).toBeLessThanOrEqual(subscription.authorizedAmount)
    // A tier never changes under an unpaid charge.
    const unpaid = unpaidCharge(subscription, own?.charge ?? null)
    if (unpaid !== null) expect(unpaid.amount).toBe(nextAmount(subscription))
    // At most one charge is open, and it is the latest.
    const open = [...charges.values()].filter(isOpen)
    expect(open.length).toBeLessThanOrEqual(1)
    if (open[0] !== undefined) expect(open[0].periodIndex).toBe(Math.max(...charges.keys()))
    for (const { amount, feeAmount, netAmount } of charges.values()) expect(feeAmount + netAmount).toBe(amount)
    // What the store of transfers has agrees with the charge.
    if (own !== null) expect(EXPECTED_TRANSFER[own.charge.status]).toContain(own.transfer.status)
    if (own !== null && own.live !== null) expect(['pending', 'submitted']).toContain(own.charge.status)
    if (!goesOn) expect([subscription.nextChargeAt, subscription.pastDueSince]).toEqual([null, null])
    if (subscription.status !== 'past_due') expect(subscription.pastDueSince).toBeNull()
    this.#checkSpacing()
  }

  /** Missed periods are charged oldest first, and at most one a day. */
  #checkSpacing(): void {
    const { charges } = this.world
    for (const [index, charge] of charges) {
      if (this.#planned.has(index)) continue
      this.#planned.set(index, charge)
      const earlier = [...charges.values()].filter(({ periodIndex }) => periodIndex < index)
      const latest = earlier.sort((a, b) => b.periodIndex - a.periodIndex)[0]
      expect([...charges.keys()].every((other) => other <= index)).toBe(true)
      if (latest === undefined || charge.periodEnd === null || charge.createdAt < charge.periodEnd) continue
      expect(charge.createdAt.getTime() - latest.createdAt.getTime()).toBeGreaterThanOrEqual(DAY)
    }
  }

  /** Faults stop: every attempt lands, and every charge succeeds. */
  finish(): void {
    const { world } = this
    for (let rounds = 0; rounds < 400; rounds += 1) {
      this.sign()
      this.land(null)
      if (canAttempt(world) && world.latest.status !== 'succeeded' && world.prepare()) {
        this.sign()
        this.land(null)
      }
      this.due()
      this.check()
      const { dueAt } = world.subscription
      const latest = world.facts.charge?.charge ?? null
      if (latest !== null && isOpen(latest) && latest.status !== 'failed') continue
      if (dueAt === null) break
      world.now = dueAt
    }
    // 7: every charge has an end, and the subscription waits for a person or has ended.
    expect(world.subscription.dueAt).toBeNull()
    for (const { status } of world.charges.values()) expect(['succeeded', 'canceled']).toContain(status)
    expect(['paused', 'revoked', 'exhausted', 'canceled', 'failed']).toContain(world.subscription.status)
    for (const event of world.events) {
      if ('charge' in event) {
        expect(chargeFromJson(JSON.parse(JSON.stringify(jsonOf(event.charge))))).toEqual(event.charge)
        expect(chargeEventData(event.charge, 'solana:mainnet').amount).toMatch(/^\d+$/)
      } else {
        expect(subscriptionFromJson(JSON.parse(JSON.stringify(jsonOf(event.subscription))))).toEqual(event.subscription)
        expect(subscriptionEventData(event.subscription).remaining_amount).toMatch(/^\d+$/)
      }
    }
  }
}

/** Amounts as decimal digits, as the snapshot of an event has them. */
const jsonOf = (subject: object): unknown =>
  JSON.parse(JSON.stringify(subject, (_name, value) => (typeof value === 'bigint' ? value.toString() : value)))

const EXPECTED_TRANSFER: Readonly<Record<Charge['status'], readonly string[]>> = {
  pending: ['planned', 'in_progress'],
  submitted: ['in_progress'],
  failed: ['failed'],
  succeeded: ['done'],
  canceled: ['failed'],
}

const command = (name: string, run: (course: Course) => void): Command => ({ name, run })
const context = ({ world }: Course) => world.context()

const SIMPLE: readonly Command[] = [
  command('due', (course) => course.due()),
  command('prepare', ({ world }) => canAttempt(world) && world.prepare()),
  command('mark submitted', ({ world }) => canAttempt(world) && world.markSubmitted()),
  command('sign', (course) => course.sign()),
  command('land', (course) => course.land(null)),
  command('abandon', ({ world }) => liveOf(world) === 'sent' && world.abandon()),
  command('give up', ({ world }) => liveOf(world) === 'sent' && world.giveUp()),
  command('pause', (course) => course.decide(pause(course.world.facts, context(course)))),
  command('resume', (course) => course.decide(resume(course.world.facts, context(course)))),
  command('charge now', (course) => course.decide(decideChargeNow(course.world.facts, context(course)))),
  command('retry', (course) => course.decide(decideRetry(course.world.facts, context(course)))),
  command('revoke', ({ world }) => world.revoke()),
  command('refill', (course) => course.decide(decideRefilled(course.world.facts, units(MAX_U64), context(course)))),
  command('renew', (course) => course.order({ kind: 'renew' }, 'proof', course.world.facts.terms.tier)),
  command('renew by approve', (course) => course.order({ kind: 'renew' }, 'approve', course.world.facts.terms.tier)),
  command('ask for a renewal', (course) => course.ask({ kind: 'renew' }, course.world.facts.terms.tier)),
  command('the approve lands', (course) => course.landApprove()),
  command('the approve is booked', (course) => course.approve()),
  command('the approve is booked', (course) => course.approve()),
  command('cancel later', (course) => course.decide(cancelLater(course.world.facts, context(course)))),
]

const charge = command('charge', (course) => {
  const { world } = course
  if (!canAttempt(world) || !world.prepare()) return
  course.sign()
  course.land(null)
})

/** Random commands seldom come in this order. */
const lateApprove = command('a charge comes after an approve, and is booked before it', (course) => {
  const { world } = course
  course.ask({ kind: 'renew' }, world.facts.terms.tier)
  course.landApprove()
  if (world.subscription.dueAt !== null && world.subscription.dueAt > world.now) world.now = world.subscription.dueAt
  course.due()
  charge.run(course)
  course.check()
  course.approve()
})

const commands = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...SIMPLE) },
  { weight: 6, arbitrary: fc.constant(charge) },
  { weight: 1, arbitrary: fc.constant(lateApprove) },
  {
    weight: 1,
    arbitrary: fc.constant(
      command('cancel', (course) => course.decide(cancelNow(course.world.facts, context(course)))),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...CODES).map((code) =>
      command(`fail ${code}`, ({ world }) => {
        if (canAttempt(world) && ['planned', 'in_progress'].includes(world.own.transfer.status)) world.fail(code)
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...CODES).map((code) => command(`land ${code}`, (course) => course.land(code))),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...TIERS)
      .chain((tier) =>
        fc
          .constantFrom('nothing' as const, 'proof' as const, 'approve' as const)
          .map((by) =>
            command(`change to ${tier.id} by ${by}`, (course) => course.order({ kind: 'change', tier }, by, tier)),
          ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...TIERS)
      .map((tier) => command(`ask for ${tier.id}`, (course) => course.ask({ kind: 'change', tier }, tier))),
  },
  {
    weight: 12,
    arbitrary: fc
      .oneof(
        fc.integer({ min: 1, max: 90 * MINUTE }),
        fc.integer({ min: 20 * HOUR, max: 40 * HOUR }),
        fc.integer({ min: 5 * DAY, max: 9 * DAY }),
        fc.integer({ min: 20 * DAY, max: 80 * DAY }),
      )
      .chain((ms) =>
        fc.boolean().map((isDown) =>
          command(`${isDown ? 'down' : 'up'} ${ms} ms`, (course) => {
            const until = new Date(course.world.now.getTime() + ms)
            for (let at = course.world.subscription.dueAt; !isDown && at !== null && at <= until; ) {
              if (at > course.world.now) course.world.now = at
              course.due()
              at = course.world.subscription.dueAt
            }
            course.world.now = until
            if (!isDown) course.due()
          }),
        ),
      ),
  },
)

test('random courses keep every invariant, and end once faults stop', { timeout: 600_000 }, () => {
  const { RUNS } = process.env
  const reached = new Set<string>()
  fc.assert(
    fc.property(
      fc.constantFrom(...TIERS),
      fc.constantFrom(0, 0, 1, 14),
      fc.constantFrom(null, couponWith(), couponWith({ percentOff: 7, periods: null }), amountOff(400, { periods: 1 })),
      fc.boolean(),
      fc.array(commands, { maxLength: 60 }),
      (tier, trialDays, coupon, isPaid, course) => {
        const one = new Course(tier, trialDays, coupon)
        if (isPaid) charge.run(one)
        for (const { run } of course) {
          run(one)
          one.check()
        }
        one.finish()
        for (const type of one.world.eventTypes) reached.add(type)
      },
    ),
    // The same courses each time, unless many are asked for: a few hundred random ones may not reach every event.
    RUNS === undefined ? { numRuns: 600, seed: 1 } : { numRuns: Number(RUNS) },
  )
  // The courses are worth something only when they reach everything.
  expect([...reached].sort()).toEqual(EVERY_EVENT)
})

const EVERY_EVENT = [
  'charge.created',
  'charge.failed',
  'charge.succeeded',
  'subscription.activated',
  'subscription.cancel_scheduled',
  'subscription.canceled',
  'subscription.created',
  'subscription.exhausted',
  'subscription.failed',
  'subscription.past_due',
  'subscription.paused',
  'subscription.renewal_required',
  'subscription.resumed',
  'subscription.revoked',
  'subscription.trial_ending',
  'subscription.updated',
]
