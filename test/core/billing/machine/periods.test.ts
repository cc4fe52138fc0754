// What time does to a running subscription: periods, the charges of each, and the end of the authorization.
import { describe, expect, test } from 'vitest'
import { decideChargeNow } from '#core/billing/machine/manage.ts'
import { pause, resume } from '../../../support/charge.ts'
import { HOUR, START, SubscriptionWorld, TIER } from '../../../support/subscription-world.ts'

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
    const world = SubscriptionWorld.active(DAILY)
      .runTo(hours(24))
      .submit()
      .wait(25 * HOUR)
    world.due()
    expect(world.subscription).toMatchObject({ periodIndex: 2, nextChargePeriod: 1 })
    expect(world.charges.size).toBe(2)
    world.land().due()
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
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
