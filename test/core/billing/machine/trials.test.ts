// A trial: nothing is charged before it ends, and from then on the subscription is charged as any other.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideChargeNow } from '#core/billing/machine/manage.ts'
import { decideTermChange } from '#core/billing/machine/terms.ts'
import { judgeTermChange, type TermOrder } from '#core/billing/term-change.ts'
import { cancelLater, cancelNow, pause, resume } from '../../../support/charge.ts'
import { units } from '../../../support/payment.ts'
import { DAY, HOUR, MINUTE, START, SubscriptionWorld, TIER, termsOf } from '../../../support/subscription-world.ts'

const days = (count: number) => new Date(START.getTime() + count * DAY)
const trialing = () => SubscriptionWorld.trialing(14)
const count = (world: SubscriptionWorld, type: string) => world.eventTypes.filter((one) => one === type).length

describe('a checkout with a trial', () => {
  test('begins a subscription without a charge, whose first charge is due when the trial ends', () => {
    const world = trialing()
    expect(world.subscription).toMatchObject({
      status: 'trialing',
      trialEndsAt: days(14),
      trialProductId: TIER.productId,
      authorizedAmount: 12n * TIER.unitBaseUnits,
      periodIndex: 0,
      currentPeriodStart: START,
      currentPeriodEnd: days(14),
      nextChargeAt: days(14),
      activatedAt: null,
    })
    expect(world.charges.size).toBe(0)
    expect(world.eventTypes).toEqual(['subscription.created'])
  })

  test('without one begins as before', () => {
    expect(SubscriptionWorld.incomplete().subscription).toMatchObject({ status: 'incomplete', trialEndsAt: null })
  })
})

describe('the end of a trial', () => {
  test('is announced once, three days before', () => {
    const world = trialing().runTo(new Date(days(11).getTime() - 1))
    expect(count(world, 'subscription.trial_ending')).toBe(0)
    world.run(1)
    expect(world.eventTypes.at(-1)).toBe('subscription.trial_ending')
    expect(count(world.runTo(days(14)), 'subscription.trial_ending')).toBe(1)
  })

  test.each([1, 2, 3])('is announced at once when the trial has %i days', (length) => {
    const world = SubscriptionWorld.trialing(length)
    expect(world.due()).toBe(true)
    expect(world.eventTypes.at(-1)).toBe('subscription.trial_ending')
    expect(world.due()).toBe(false)
  })

  test('is announced late when the service was down, and not any more when it has ended', () => {
    const late = trialing().wait(13 * DAY)
    late.due()
    expect(late.eventTypes.slice(1)).toEqual(['subscription.trial_ending'])
    const over = trialing().wait(20 * DAY)
    over.due()
    expect(over.eventTypes.slice(1)).toEqual(['subscription.updated', 'charge.created'])
    expect(over.subscription.trialNoticeAt).toBeNull()
  })

  test.each<[string, (world: SubscriptionWorld) => void]>([
    ['paused', (world) => world.apply(pause(world.facts, world.context()))],
    ['revoked', (world) => world.revoke()],
    ['canceled', (world) => world.apply(cancelNow(world.facts, world.context()))],
  ])('activates a subscription that is %s while its first charge is under way', (status, stop) => {
    const world = trialing().runTo(days(14)).submit()
    stop(world)
    world.land()
    expect(world.subscription).toMatchObject({ status, activatedAt: world.now })
    expect(world.eventTypes.slice(-2)).toEqual(['charge.succeeded', 'subscription.activated'])
  })

  test('plans the first charge, and not a moment earlier', () => {
    const world = trialing().runTo(new Date(days(14).getTime() - 1))
    expect(world.due()).toBe(false)
    expect(world.charges.size).toBe(0)
    world.run(1)
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending', periodStart: days(14) })
    expect(world.subscription.status).toBe('trialing')
  })

  test('makes the subscription active once its first charge succeeds, and the periods count from the end of the trial', () => {
    const world = trialing()
      .runTo(days(14))
      .wait(2 * HOUR)
      .charge()
    expect(world.subscription).toMatchObject({
      status: 'active',
      activatedAt: world.now,
      currentPeriodStart: days(14),
      currentPeriodEnd: new Date('2026-03-14T10:00:00.000Z'),
      nextChargeAt: new Date('2026-03-14T10:00:00.000Z'),
    })
    expect(world.eventTypes.slice(-2)).toEqual(['charge.succeeded', 'subscription.activated'])
  })

  test('begins dunning when the first charge fails, and the charge that succeeds then activates it', () => {
    const world = trialing().runTo(days(14)).fail('insufficient_funds')
    expect(world.subscription).toMatchObject({ status: 'past_due', pastDueSince: days(14), activatedAt: null })
    world.run(5 * MINUTE).charge()
    expect(world.subscription.status).toBe('active')
    expect(count(world, 'subscription.activated')).toBe(1)
  })

  test('pauses the subscription when nothing could be charged for seven days', () => {
    const world = trialing().runTo(days(14))
    for (let at = world.subscription.dueAt; world.subscription.status !== 'paused'; at = world.subscription.dueAt) {
      if (world.latest.status === 'pending') world.fail('insufficient_funds')
      else world.runTo(at ?? days(30))
    }
    expect(world.now).toEqual(days(21))
  })

  test('revokes the subscription when the allowance is gone', () => {
    expect(trialing().runTo(days(14)).fail('delegate_revoked').subscription.status).toBe('revoked')
  })

  test('requires a renewal after the only authorized charge', () => {
    const world = SubscriptionWorld.trialing(14, { ...TIER, authorizationPeriods: 1 })
      .runTo(days(14))
      .charge()
    expect(world.subscription.status).toBe('renewal_required')
    expect(world.eventTypes.slice(-2)).toEqual(['subscription.activated', 'subscription.renewal_required'])
  })
})

describe('a subscriber who has never paid', () => {
  const YEARLY = { ...TIER, interval: 'year' as const }
  const inTrial = () => SubscriptionWorld.trialing(14, YEARLY)
  /** Its trial has ended, and its first charge is planned. */
  const over = () => inTrial().runTo(days(14))
  const act = (world: SubscriptionWorld, how: typeof pause) => {
    world.apply(how(world.facts, world.context()))
    return world
  }
  const renew = (world: SubscriptionWorld) => {
    change(world, { kind: 'renew' })
    return world
  }

  test.each<[string, () => SubscriptionWorld]>([
    ['planned', over],
    ['failed', () => over().fail('insufficient_funds').run(DAY)],
    ['proved not to have landed', () => over().submit().abandon()],
    ['planned again by a resume', () => act(act(over(), pause).run(DAY), resume)],
  ])(
    'cannot use it after the trial: a cancel at the end of the period is at once while the charge is %s',
    (_case, make) => {
      const world = act(make(), cancelLater)
      expect(world.subscription).toMatchObject({ status: 'canceled', endedAt: world.now, activatedAt: null })
      expect(world.latest.status).toBe('canceled')
      expect(world.prepare()).toBe(false)
    },
  )

  test.each<[string, (world: SubscriptionWorld) => SubscriptionWorld]>([
    ['fails', (world) => world.land('insufficient_funds')],
    ['finds the allowance gone', (world) => world.land('delegate_revoked')],
    ['does not land', (world) => world.abandon().giveUp()],
  ])('and cancels while the charge is under way has ended when it %s', (_case, end) => {
    const world = act(over().submit(), cancelLater)
    expect(world.subscription).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true, nextChargeAt: null })
    expect(end(world).due()).toBe(true)
    expect(world.subscription).toMatchObject({ status: 'canceled', activatedAt: null })
  })

  test('and cancels while the charge is under way has the period that it pays', () => {
    const world = act(over().submit(), cancelLater).land()
    expect(world.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, activatedAt: world.now })
    const end = new Date('2027-02-14T10:00:00.000Z')
    expect(world.runTo(end).subscription).toMatchObject({ status: 'canceled', endedAt: end })
  })

  test.each<[string, (world: SubscriptionWorld) => void]>([
    ['read by a round', (world) => void world.revoke()],
    ['found by the charge', (world) => void world.fail('delegate_revoked')],
  ])('and removes the allowance is entitled until the trial ended: %s', (_case, remove) => {
    const world = over()
    remove(world)
    expect(world.subscription).toMatchObject({
      status: 'revoked',
      periodIndex: 0,
      currentPeriodStart: START,
      currentPeriodEnd: days(14),
    })
    expect(world.events.at(-1)).toMatchObject({ subscription: { currentPeriodEnd: days(14) } })
  })

  test('and renews after that is charged for the present period', () => {
    const world = renew(over().fail('delegate_revoked').run(DAY))
    expect(world.subscription).toMatchObject({ status: 'active', periodIndex: 1, currentPeriodStart: days(14) })
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    expect(world.charge().eventTypes.slice(-2)).toEqual(['charge.succeeded', 'subscription.activated'])
  })

  test('and removes the allowance while the charge is under way has the period that it pays', () => {
    const world = over().submit()
    world.revoke()
    expect(world.subscription.currentPeriodEnd).toEqual(days(14))
    expect(world.land().subscription).toMatchObject({
      status: 'revoked',
      periodIndex: 1,
      currentPeriodStart: days(14),
      currentPeriodEnd: new Date('2027-02-14T10:00:00.000Z'),
    })
  })

  test('keeps the rest of the trial, also when it is canceled or the allowance is removed', () => {
    expect(act(inTrial(), cancelLater).subscription).toMatchObject({ status: 'trialing', dueAt: days(14) })
    const world = inTrial()
    world.revoke()
    expect(world.subscription).toMatchObject({ status: 'revoked', currentPeriodEnd: days(14) })
  })
})

describe('during a trial', () => {
  const decide = (world: SubscriptionWorld, how: typeof pause) => {
    world.apply(how(world.facts, world.context()))
    return world
  }

  test('a cancel at its end ends the subscription there, without a charge and without an announcement', () => {
    const world = decide(trialing(), cancelLater)
    expect(world.subscription).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true, nextChargeAt: null })
    world.runTo(days(14))
    expect(world.subscription).toMatchObject({ status: 'canceled', endedAt: days(14), activatedAt: null })
    expect(world.charges.size).toBe(0)
    expect(count(world, 'subscription.trial_ending')).toBe(0)
  })

  test('a cancel is taken back by a resume, and a missed announcement follows', () => {
    const world = decide(decide(trialing(), cancelLater).run(12 * DAY), resume)
    expect(world.subscription).toMatchObject({ status: 'trialing', nextChargeAt: days(14) })
    world.due()
    expect(world.eventTypes.at(-1)).toBe('subscription.trial_ending')
  })

  test('a cancel at once ends it', () => {
    expect(decide(trialing(), cancelNow).subscription).toMatchObject({ status: 'canceled', spentAmount: 0n })
  })

  test('a pause and a resume lead back into the trial, whose end stays', () => {
    const world = decide(decide(trialing(), pause).run(5 * DAY), resume)
    expect(world.subscription).toMatchObject({ status: 'trialing', nextChargeAt: days(14) })
  })

  test('a pause until after its end lets a resume charge the present period only', () => {
    const world = decide(decide(trialing(), pause).runTo(days(60)), resume)
    expect(world.subscription).toMatchObject({ status: 'active', activatedAt: null })
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    world.charge()
    expect(world.pulls).toHaveLength(1)
    expect(world.eventTypes.slice(-2)).toEqual(['charge.succeeded', 'subscription.activated'])
  })

  test('nothing is charged now: the next charge is scheduled', () => {
    const world = trialing()
    expect(decideChargeNow(world.facts, world.context())).toMatchObject({
      code: 'charge_already_scheduled',
      context: { next_charge_at: days(14).toISOString() },
    })
  })

  test('an allowance that is gone revokes it, and a renewal leads back into the trial', () => {
    const world = trialing()
    world.revoke()
    expect(world.subscription).toMatchObject({ status: 'revoked', currentPeriodEnd: days(14) })
    change(world, { kind: 'renew' })
    expect(world.subscription).toMatchObject({ status: 'trialing', nextChargeAt: days(14) })
  })

  test('another tier applies from the first charge on, and the trial goes on as it was', () => {
    const world = trialing()
    const cheap = { ...TIER, id: 'cheap', interval: 'week' as const, unitBaseUnits: units(1_000_000n), trialDays: 30 }
    change(world, { kind: 'change', tier: cheap })
    expect(world.subscription).toMatchObject({ status: 'trialing', trialEndsAt: days(14), nextChargeAt: days(14) })
    world.runTo(days(14)).charge()
    expect(world.pulls).toMatchObject([{ amount: 1_000_000n }])
    expect(world.subscription.currentPeriodEnd).toEqual(days(21))
  })

  test('a renewal adds nothing: every period is still authorized', () => {
    expect(judgeTermChange(trialing().facts, { kind: 'renew' })).toMatchObject({ code: 'nothing_to_renew' })
  })
})

function change(world: SubscriptionWorld, order: TermOrder): void {
  const judged = judgeTermChange(world.facts, order)
  if (judged.kind === 'refused') throw new Error(judged.code)
  const next = order.kind === 'change' ? termsOf(order.tier) : world.facts.terms
  const agreed = { kind: order.kind, agreed: judged.terms, next }
  world.apply(decideTermChange(world.facts, agreed, { by: 'proof' }, world.context()))
  world.facts = { ...world.facts, terms: next }
}

test('whatever happens during a trial, nothing is pulled before it ends, and it is announced at most once', () => {
  const steps = { pause, resume, cancelLater, cancelNow, decideChargeNow }
  const step = fc.oneof(
    fc.constantFrom(...Object.values(steps)).map((how) => (world: SubscriptionWorld) => {
      const decision = how(world.facts, world.context())
      if (decision.kind === 'moved') world.apply(decision)
    }),
    fc.integer({ min: 1, max: 9 * DAY }).map((ms) => (world: SubscriptionWorld) => {
      world.run(ms)
      if (world.facts.charge?.charge.status === 'pending') world.charge()
    }),
    fc.integer({ min: 1, max: 9 * DAY }).map((ms) => (world: SubscriptionWorld) => void world.run(ms)),
    fc.constant((world: SubscriptionWorld) => void world.revoke()),
    fc.constantFrom('insufficient_funds', 'delegate_revoked').map((code) => (world: SubscriptionWorld) => {
      if (world.facts.charge?.charge.status === 'pending' && world.facts.charge.charge.nextAttemptAt !== null)
        if (world.facts.charge.charge.nextAttemptAt <= world.now) world.fail(code)
    }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.array(step, { maxLength: 30 }), (length, course) => {
      const world = SubscriptionWorld.trialing(length)
      for (const one of course) one(world)
      for (const { at, periodIndex } of world.pulls) {
        expect(at >= days(length)).toBe(true)
        expect(periodIndex).toBeGreaterThan(0)
      }
      expect(count(world, 'subscription.trial_ending')).toBeLessThanOrEqual(1)
      expect(count(world, 'subscription.activated')).toBe(world.pulls.length === 0 ? 0 : 1)
      const { status, cancelAtPeriodEnd, currentPeriodEnd, dueAt, trialEndsAt } = world.subscription
      expect(trialEndsAt).toEqual(days(length))
      // No subscriber who has never paid is entitled beyond the trial.
      if (world.pulls.length > 0) return
      if (status === 'revoked') expect(currentPeriodEnd).toEqual(trialEndsAt)
      if (cancelAtPeriodEnd && status !== 'canceled') expect(dueAt).toEqual(trialEndsAt)
    }),
  )
})
