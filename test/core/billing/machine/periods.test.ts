import { describe, expect, test } from 'vitest'
import { FAILURE_CODES } from '#core/billing/charge.ts'
import { decideChargeNow } from '#core/billing/machine/manage.ts'
import { decideFailed, decideSubmitted, submits } from '#core/billing/machine/submitting.ts'
import { cancelLater, cancelNow, pause, resume } from '../../../support/charge.ts'
import { signatureNo } from '../../../support/payment.ts'
import { DAY, HOUR, MINUTE, START, SubscriptionWorld, TIER } from '../../../support/subscription-world.ts'

// What time does to a running subscription: periods, the charges of each, and the end of the authorization.
const DAILY = { ...TIER, interval: 'day' } as const
const time = (text: string) => new Date(`${text}T10:00:00.000Z`)
const hours = (count: number) => new Date(START.getTime() + count * HOUR)

/** The engine is up until then, and every charge succeeds at once. */
function pay(world: SubscriptionWorld, until: Date): SubscriptionWorld {
  for (let due = world.subscription.dueAt; due !== null && due <= until; due = world.subscription.dueAt) {
    world.runTo(due > world.now ? due : world.now)
    if (world.latest.status === 'pending') world.charge()
  }
  return world.runTo(until)
}

describe('a period', () => {
  test('is charged when it begins, and not before', () => {
    const world = SubscriptionWorld.active()
    world.wait(time('2026-02-28').getTime() - START.getTime() - 1)
    expect(world.due()).toBe(false)
    world.wait(1).due()
    expect(world.subscription).toMatchObject({
      status: 'active',
      periodIndex: 1,
      currentPeriodStart: time('2026-02-28'),
      currentPeriodEnd: time('2026-03-31'),
      nextChargePeriod: 1,
    })
    expect(world.latest).toMatchObject({
      periodIndex: 1,
      periodStart: time('2026-02-28'),
      periodEnd: time('2026-03-31'),
      status: 'pending',
      createdAt: time('2026-02-28'),
    })
    expect(world.own.transfer.key).toBe('charge:subscription:1')
    expect(world.eventTypes.slice(-2)).toEqual(['subscription.updated', 'charge.created'])
  })

  test('moves on while its charge is under way, and the next charge waits for the end of that', () => {
    const world = SubscriptionWorld.active({ ...TIER, interval: 'week' })
      .runTo(hours(7 * 24))
      .submit()
      .wait(8 * 24 * HOUR)
    world.due()
    expect(world.subscription).toMatchObject({ periodIndex: 2, nextChargePeriod: 1 })
    expect(world.charges.size).toBe(2)
    // It was paid after its period, so the next one follows a day later.
    expect(world.land().due()).toBe(false)
    expect(world.run(24 * HOUR).latest).toMatchObject({ periodIndex: 2, status: 'pending' })
  })

  test('that is the last authorized requires a renewal when it begins', () => {
    const world = pay(SubscriptionWorld.active({ ...DAILY, authorizationPeriods: 3 }), hours(47))
    expect(world.subscription).toMatchObject({ status: 'active', periodIndex: 1 })
    world.runTo(hours(48))
    expect(world.subscription).toMatchObject({ status: 'renewal_required', periodIndex: 2 })
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    expect(world.charge().subscription).toMatchObject({ status: 'renewal_required', nextChargeAt: null })
  })

  test('that ends without a renewal exhausts the subscription, and nothing more is charged', () => {
    const world = pay(SubscriptionWorld.active({ ...DAILY, authorizationPeriods: 3 }), hours(72))
    expect(world.subscription).toMatchObject({ status: 'exhausted', dueAt: null, nextChargeAt: null })
    expect(world.eventTypes.at(-1)).toBe('subscription.exhausted')
    expect(world.pulls.map(({ periodIndex }) => periodIndex)).toEqual([0, 1, 2])
  })

  test('with a payout that cannot receive is tried every hour until it ends, and then the next one is charged', () => {
    const world = SubscriptionWorld.active(DAILY).runTo(hours(24))
    for (let hour = 24; hour < 48; hour += 1) {
      expect(world.runTo(hours(hour)).latest).toMatchObject({ periodIndex: 1, status: 'pending' })
      world.fail('destination_unavailable')
      expect(world.subscription).toMatchObject({ status: 'active', pastDueSince: null })
    }
    world.runTo(hours(48))
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    expect(world.eventTypes).not.toContain('subscription.past_due')
  })

  test('whose charge has failed and was planned again by a resume is not charged after its end', () => {
    const world = SubscriptionWorld.active(DAILY).runTo(hours(24))
    world.fail('insufficient_funds')
    world.apply(pause(world.facts, world.context()))
    world.apply(resume(world.facts, world.context()))
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    expect(world.subscription.status).toBe('active')
    world.runTo(hours(48))
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
  })

  test('whose charge could not be paid out and was planned again is not charged after its end', () => {
    const world = SubscriptionWorld.active(DAILY).runTo(hours(47))
    world.fail('destination_unavailable').runTo(hours(47.99))
    world.apply(decideChargeNow(world.facts, world.context()))
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    world.runTo(hours(48))
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
  })
})

describe('after a time in which the service was down', () => {
  test('missed periods are charged oldest first, and at most one a day', () => {
    const world = SubscriptionWorld.active({ ...TIER, interval: 'week' }).wait(24 * 24 * HOUR)
    world.due()
    expect(world.subscription).toMatchObject({ periodIndex: 3, nextChargePeriod: 1 })
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    world.charge()
    expect(world.due()).toBe(false)
    const day = (count: number) => hours((24 + count) * 24)
    expect(world.subscription.nextChargeAt).toEqual(day(1))
    pay(world, day(3))
    expect(world.pulls.map(({ periodIndex, at }) => [periodIndex, at])).toEqual([
      [0, START],
      [1, day(0)],
      [2, day(1)],
      [3, day(2)],
    ])
    pay(world, hours(28 * 24))
    expect(world.pulls.at(-1)).toMatchObject({ periodIndex: 4, at: hours(28 * 24) })
  })

  test('a charge that was planned before is still made, because nothing was tried', () => {
    const world = SubscriptionWorld.active(DAILY)
      .runTo(hours(24))
      .wait(30 * HOUR)
    world.due()
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    expect(world.charge().pulls.at(-1)?.periodIndex).toBe(1)
  })

  test.each([1, 2])(
    'a charge that was planned before, and waited for %i more periods, is a day before the next one',
    (more) => {
      const world = SubscriptionWorld.active({ ...TIER, interval: 'week' }).runTo(hours((1 + more) * 7 * 24 + 1))
      expect(world.subscription).toMatchObject({ periodIndex: 1 + more, nextChargePeriod: 1 })
      expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
      const paidAt = world.now
      expect(world.charge().due()).toBe(false)
      expect(world.subscription.nextChargeAt).toEqual(new Date(paidAt.getTime() + 24 * HOUR))
      expect(world.run(24 * HOUR).latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    },
  )

  test('a missed charge that fails makes way for the charge of the present period, a day later', () => {
    const world = SubscriptionWorld.active({ ...TIER, interval: 'week' }).wait(24 * 24 * HOUR)
    world.due()
    world.fail('insufficient_funds').due()
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect(world.subscription).toMatchObject({ status: 'past_due', pastDueSince: world.now, nextChargePeriod: 3 })
    expect(world.run(24 * HOUR).latest).toMatchObject({ periodIndex: 3, status: 'pending' })
  })

  test('a missed charge that could not be paid out makes way for the next missed period', () => {
    const world = SubscriptionWorld.active({ ...TIER, interval: 'week', authorizationPeriods: 4 }).wait(24 * 24 * HOUR)
    world.due()
    expect(world.subscription).toMatchObject({ status: 'renewal_required', periodIndex: 3 })
    world.fail('destination_unavailable').due()
    expect(world.charges.get(1)?.status).toBe('canceled')
    // Its part of the authorization is left, so the last authorized period has not begun.
    expect(world.subscription).toMatchObject({ status: 'active', nextChargePeriod: 2 })
  })
})

// The steps before and after an attempt: a charge that may have been sent is neither canceled nor planned again.
const FEBRUARY = new Date('2026-02-28T10:00:00.000Z')
const due = () => SubscriptionWorld.active().runTo(FEBRUARY)
const submit = (world: SubscriptionWorld) => decideSubmitted(world.facts, world.lease, world.context())

describe('before an attempt', () => {
  test('the charge is submitted', () => {
    const world = due()
    world.claim()
    const decision = submit(world)
    expect(submits(decision)).toBe(true)
    expect(world.apply(decision)).toBe(true)
    expect(world.latest.status).toBe('submitted')
  })

  test('a worker that lost its lease neither submits nor fails the charge', () => {
    const world = due()
    world.claim()
    const { lease } = world
    world.claim()
    expect(decideSubmitted(world.facts, lease, world.context()).kind).toBe('unchanged')
    for (const code of FAILURE_CODES)
      expect(decideFailed(world.facts, lease, code, world.context()).kind).toBe('unchanged')
  })

  test('nothing is submitted while an attempt is live', () => {
    const world = due().submit()
    expect(submit(world).kind).toBe('unchanged')
    expect(decideFailed(world.facts, world.lease, 'insufficient_funds', world.context()).kind).toBe('unchanged')
  })

  test('nothing is submitted before its period, whatever the clock of the instance that planned it was', () => {
    const world = due().wait(-1)
    world.claim()
    expect(submit(world).kind).toBe('unchanged')
  })

  test('the first charge is submitted although the chain has not reached the moment of the completion', () => {
    const world = SubscriptionWorld.incomplete().wait(-2_000)
    world.claim()
    expect(submits(submit(world))).toBe(true)
  })

  test('another attempt follows once the last one is proved dead', () => {
    const world = due().submit().abandon()
    expect(world.prepare()).toBe(true)
  })

  test('no further attempt follows when the subscription stopped while the last one was under way', () => {
    const world = due().submit()
    world.apply(cancelNow(world.facts, world.context()))
    world.abandon()
    expect(world.prepare()).toBe(false)
    expect([world.latest.status, world.own.transfer.status]).toEqual(['canceled', 'failed'])
  })

  test('a charge that goes on after a pause and a resume is not planned a second time', () => {
    const world = due().submit()
    world.apply(pause(world.facts, world.context()))
    world.apply(resume(world.facts, world.context()))
    expect(world.latest.status).toBe('submitted')
    expect(world.land().pulls.map(({ periodIndex }) => periodIndex)).toEqual([0, 1])
  })

  test('a failure without a transaction withdraws the transfer under the lease', () => {
    const world = due()
    world.claim()
    const decision = decideFailed(world.facts, world.lease, 'account_frozen', world.context())
    expect(decision).toMatchObject({
      change: { statusOverride: { ...world.lease, status: 'failed', reason: 'account_frozen' } },
    })
  })
})

describe('after the service was down, before an attempt', () => {
  const DAILY = { ...TIER, interval: 'day', authorizationPeriods: 12 } as const
  const daily = () => SubscriptionWorld.active(DAILY)
  /** The charge of the second day has failed, and is planned again. */
  const pastDue = () =>
    daily()
      .run(DAY)
      .fail('insufficient_funds')
      .run(5 * MINUTE)
  const ended = (world: SubscriptionWorld) => [world.latest.status, world.own.transfer.status]

  test('a charge of a past due subscription whose period has ended is canceled, and that of the present period is planned', () => {
    const world = pastDue().wait(DAY)
    expect(world.prepare()).toBe(false)
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect([world.latest.periodIndex, ...ended(world)]).toEqual([2, 'pending', 'planned'])
  })

  test('a charge is canceled whose attempt did not land, when its subscription ends with its period by now', () => {
    const world = daily().run(DAY).submit()
    world.apply(cancelLater(world.facts, world.context()))
    world.abandon()
    expect(world.prepare()).toBe(false)
    expect([world.subscription.status, ...ended(world)]).toEqual(['active', 'canceled', 'failed'])
  })

  test('a charge is canceled when the 7 days of its dunning have passed', () => {
    const world = due()
      .fail('insufficient_funds')
      .run(5 * MINUTE)
      .wait(7 * DAY)
    expect(world.prepare()).toBe(false)
    expect([world.subscription.status, ...ended(world)]).toEqual(['paused', 'canceled', 'failed'])
  })

  test('a first charge is canceled when its 23 hours have passed', () => {
    const world = SubscriptionWorld.incomplete().wait(23 * HOUR)
    expect(world.prepare()).toBe(false)
    expect([world.subscription.status, ...ended(world)]).toEqual(['failed', 'canceled', 'failed'])
  })

  test('a missed period of a subscription that is not past due is charged', () => {
    const world = daily()
      .run(DAY)
      .wait(3 * DAY)
    expect(world.prepare()).toBe(true)
    expect(world.latest.periodIndex).toBe(1)
  })

  test('a charge without an attempt counts as planned, although it was marked as submitted', () => {
    const world = pastDue()
    expect(world.markSubmitted()).toBe(true)
    world.wait(DAY)
    expect(world.prepare()).toBe(false)
    expect(world.charges.get(1)?.status).toBe('canceled')
    const first = SubscriptionWorld.incomplete()
    expect(first.markSubmitted()).toBe(true)
    expect(first.wait(23 * HOUR).prepare()).toBe(false)
    expect(first.subscription.status).toBe('failed')
  })

  test('an attempt that was stored before is not signed', () => {
    const world = pastDue()
    expect(world.prepare()).toBe(true)
    expect(world.maySign()).toBe(true)
    expect(world.wait(DAY).maySign()).toBe(false)
    expect(world.charges.get(1)?.status).toBe('canceled')
  })

  test('a failure ends what time has ended, and is none of the next period', () => {
    const world = pastDue().wait(DAY).fail('insufficient_funds')
    expect(world.charges.get(1)).toMatchObject({ status: 'canceled', attempts: 1 })
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending', attempts: 0 })
  })
})

describe('the booking of a charge', () => {
  test('ends attempt and transfer, with the amounts that moved', () => {
    const world = due().submit()
    const { lease } = world
    world.land()
    expect(world.lastChange?.outcome).toMatchObject({
      ...lease,
      attemptState: 'final_ok',
      transferStatus: 'done',
      signature: signatureNo(1),
      moved: [9_700_000n, 300_000n],
      reason: null,
    })
    expect(world.latest).toMatchObject({ status: 'succeeded', signature: signatureNo(1), settledAt: FEBRUARY })
  })

  test('says on the transfer that another amount arrived than its legs name', () => {
    const { lastChange, latest } = due().submit().land(null, FEBRUARY, 1n)
    expect(lastChange?.outcome).toMatchObject({
      transferStatus: 'done',
      moved: [9_699_999n, 299_999n],
      reason: 'Another amount arrived than the charge says.',
    })
    expect(latest.status).toBe('succeeded')
  })

  test('keeps in the ledger what it cost the fee payer', () => {
    expect(due().charge().lastChange?.ledger).toMatchObject([
      { asset: 'SOL', delta: -15_000n, kind: 'charge', subjectId: 'charge-4' },
    ])
    expect(due().submit().land('insufficient_funds').lastChange?.ledger).toMatchObject([
      { asset: 'SOL', delta: -15_000n, kind: 'fee' },
    ])
  })

  test('of a failed transaction ends the attempt, and the transfer can be planned again', () => {
    const world = due().submit().land('insufficient_funds')
    expect(world.lastChange?.outcome).toMatchObject({ attemptState: 'final_err', transferStatus: 'failed', moved: [] })
    world.runTo(new Date(FEBRUARY.getTime() + 5 * MINUTE))
    expect(world.lastChange?.statusOverride).toMatchObject({ status: 'planned', fence: null })
    expect(world.own.transfer.status).toBe('planned')
  })

  test('of attempts that never landed ends the last one as dead', () => {
    const world = due().submit().giveUp()
    expect(world.lastChange?.outcome).toMatchObject({ attemptState: 'dead', transferStatus: 'failed', slot: null })
  })
})
