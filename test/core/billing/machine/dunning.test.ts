// A charge of a running subscription that fails: retries, and the end of them.
import { describe, expect, test } from 'vitest'
import { FAILURE_CODES, type FailureCode, RECOVERY } from '#core/billing/charge.ts'
import { DUNNING_MS } from '#core/billing/dunning.ts'
import { decideRefilled } from '#core/billing/machine/revoking.ts'
import { pause, resume } from '../../../support/charge.ts'
import { units } from '../../../support/payment.ts'
import { DAY, HOUR, MINUTE, START, SubscriptionWorld, TIER } from '../../../support/subscription-world.ts'

const DAILY = { ...TIER, interval: 'day' } as const
const FIRST = new Date('2026-02-28T10:00:00.000Z')
const at = (ms: number) => new Date(FIRST.getTime() + ms)
const HALF = 30 * MINUTE

/** A monthly subscription whose second charge is due now. */
const due = () => SubscriptionWorld.active().runTo(FIRST)
const RETRIED = FAILURE_CODES.filter((code) => RECOVERY[code] === 'retry')
const REAPPROVED = FAILURE_CODES.filter((code) => RECOVERY[code] === 'reapprove')
const OBSTACLES = FAILURE_CODES.filter((code) => RECOVERY[code] === 'none')

describe('a failed charge', () => {
  test.each(RETRIED)('%s makes the subscription past due', (code) => {
    const world = due().fail(code)
    expect(world.subscription).toMatchObject({ status: 'past_due', pastDueSince: FIRST })
    expect(world.latest).toMatchObject({ status: 'failed', failureCode: code, attempts: 1, firstFailedAt: FIRST })
    expect(world.eventTypes.slice(-2)).toEqual(['charge.failed', 'subscription.past_due'])
  })

  test.each(REAPPROVED)('%s revokes the subscription, and is not retried', (code) => {
    const world = due().fail(code)
    expect(world.subscription).toMatchObject({ status: 'revoked', dueAt: null, nextChargeAt: null })
    expect(world.latest).toMatchObject({ status: 'canceled', failureCode: code, nextAttemptAt: null })
    expect(world.eventTypes.slice(-2)).toEqual(['charge.failed', 'subscription.revoked'])
  })

  test.each(OBSTACLES)('%s is not the fault of the subscriber: the status stays', (code) => {
    const world = due().fail(code)
    expect(world.subscription).toMatchObject({ status: 'active', pastDueSince: null })
    expect(world.latest).toMatchObject({ status: 'failed', nextAttemptAt: at(HOUR) })
  })

  test.each(OBSTACLES)('%s is retried every hour on the first day, and then daily', (code) => {
    const world = due()
    const tries: number[] = []
    for (let count = 0; count < 28; count += 1) {
      const next = world.fail(code).latest.nextAttemptAt ?? FIRST
      tries.push((next.getTime() - FIRST.getTime()) / HOUR)
      world.runTo(next)
    }
    const hours = Array.from({ length: 24 }, (_, hour) => hour + 1)
    expect(tries).toEqual([...hours, 48, 72, 96, 120])
  })

  test('is retried after 5 minutes, 30 minutes, 2 hours, 20 hours, then daily until 7 days have passed', () => {
    const world = due()
    const tries: number[] = []
    while (world.subscription.status !== 'paused') {
      world.fail('insufficient_funds')
      const { nextAttemptAt } = world.latest
      if (nextAttemptAt === null) break
      tries.push((nextAttemptAt.getTime() - FIRST.getTime()) / MINUTE)
      world.runTo(nextAttemptAt)
    }
    expect(tries).toEqual([5, 35, 155, 1_355, ...[1, 2, 3, 4, 5, 6].map((day) => 1_355 + day * 1_440)])
    expect(world.subscription).toMatchObject({ nextChargeAt: null, dueAt: at(7 * DAY) })
  })

  test('waits from one try to the next, however late a try was', () => {
    const world = due()
      .fail('insufficient_funds')
      .wait(3 * HOUR)
    world.due()
    world.fail('insufficient_funds')
    expect(world.latest.nextAttemptAt).toEqual(at(3 * HOUR + HALF))
  })

  test('says so each time, and that the subscription is past due once', () => {
    const world = due()
      .fail('insufficient_funds')
      .run(5 * MINUTE)
      .fail('account_frozen')
      .run(HALF)
      .fail('insufficient_funds')
    const count = (type: string) => world.eventTypes.filter((one) => one === type).length
    expect([count('charge.failed'), count('subscription.past_due')]).toEqual([3, 1])
  })

  test('that succeeds later leaves the subscription active with the same calendar', () => {
    const world = due()
      .fail('insufficient_funds')
      .run(5 * MINUTE)
      .charge()
    expect(world.subscription).toMatchObject({
      status: 'active',
      pastDueSince: null,
      dunningAttempts: 0,
      anchor: START,
      currentPeriodEnd: new Date('2026-03-31T10:00:00.000Z'),
    })
    expect(world.latest).toMatchObject({ status: 'succeeded', attempts: 2, failureCode: null })
    expect(world.eventTypes.slice(-2)).toEqual(['charge.succeeded', 'subscription.updated'])
  })

  test('pauses the subscription 7 days after the first failure', () => {
    const world = due()
      .fail('insufficient_funds')
      .wait(7 * DAY - 1)
    world.due()
    world.fail('insufficient_funds')
    expect(world.subscription.status).toBe('past_due')
    world.wait(1).due()
    expect(world.subscription).toMatchObject({ status: 'paused', pastDueSince: null, nextChargeAt: null, dueAt: null })
    expect(world.latest.status).toBe('canceled')
    expect(world.eventTypes.at(-1)).toBe('subscription.paused')
  })

  test('under way when the 7 days are over decides by its end', () => {
    const submitted = () => {
      const world = due()
        .fail('insufficient_funds')
        .wait(6 * DAY)
      world.due()
      world.submit().wait(2 * DAY)
      expect(world.due()).toBe(false)
      return world
    }
    expect(submitted().land().subscription.status).toBe('active')
    const failed = submitted().land('insufficient_funds')
    failed.due()
    expect(failed.subscription.status).toBe('paused')
  })

  test('on the chain counts as a try like one without a transaction', () => {
    const world = due().submit().land('insufficient_funds')
    expect(world.latest).toMatchObject({
      status: 'failed',
      attempts: 1,
      nextAttemptAt: at(5 * MINUTE),
      signature: null,
    })
    expect(world.own.transfer.status).toBe('failed')
    expect(world.subscription).toMatchObject({ status: 'past_due', spentAmount: 10_000_000n })
  })

  test('of which no attempt landed is a failure of the chain, and retried', () => {
    const world = due().submit().giveUp()
    expect(world.latest).toMatchObject({ status: 'failed', failureCode: 'chain_unavailable' })
  })
})

describe('while past due', () => {
  const next = (text: string) => new Date(`2026-02-${text}T10:00:00.000Z`)

  test('a charge whose period has ended is canceled, and the charge of the next period takes its place', () => {
    const world = SubscriptionWorld.active(DAILY).runTo(next('01')).fail('insufficient_funds').wait(DAY)
    world.due()
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    expect(world.subscription).toMatchObject({ status: 'past_due', pastDueSince: next('01'), nextChargePeriod: 2 })
    expect(world.charge().subscription).toMatchObject({ status: 'active', nextChargePeriod: 3 })
  })

  test('a charge that was planned and not sent in its period is canceled too', () => {
    const world = SubscriptionWorld.active(DAILY)
      .runTo(next('01'))
      .fail('insufficient_funds')
      .run(5 * MINUTE)
    expect(world.latest.status).toBe('pending')
    world.runTo(next('02'))
    expect(world.charges.get(1)?.status).toBe('canceled')
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
  })

  test('a charge under way is not stopped by the end of the 7 days, nor by the end of its period', () => {
    const world = SubscriptionWorld.active(DAILY).runTo(next('01')).fail('insufficient_funds')
    world
      .runTo(next('07'))
      .submit()
      .wait(3 * DAY)
    world.due()
    expect(world.subscription).toMatchObject({ status: 'past_due', periodIndex: 10 })
    expect(world.latest).toMatchObject({ periodIndex: 7, status: 'submitted' })
    expect(world.land().subscription).toMatchObject({ status: 'active', pastDueSince: null })
  })

  test('the 7 days go on counting from the first failure, across periods', () => {
    const world = SubscriptionWorld.active(DAILY).runTo(next('01'))
    for (let day = 1; day <= 7; day += 1) {
      world.runTo(next(`0${day}`))
      if (world.latest.status === 'pending') world.fail('insufficient_funds')
    }
    expect(world.subscription.status).toBe('past_due')
    world.runTo(next('08'))
    expect(world.subscription.status).toBe('paused')
    expect(world.pulls).toHaveLength(1)
  })

  test('a wallet that holds enough again is charged at once', () => {
    const world = due().fail('insufficient_funds').wait(MINUTE)
    const refill = (balance: bigint) => decideRefilled(world.facts, units(balance), world.context())
    expect(refill(9_999_999n).kind).toBe('unchanged')
    expect(world.apply(refill(10_000_000n))).toBe(true)
    expect(world.latest.status).toBe('pending')
    expect(refill(10_000_000n).kind).toBe('unchanged')
  })

  test('after a failure on the chain, which costs a fee, a refill does not shorten the wait', () => {
    const world = due().submit().land('insufficient_funds').wait(MINUTE)
    const refill = () => decideRefilled(world.facts, units(10_000_000n), world.context())
    expect(refill().kind).toBe('unchanged')
    world.runTo(at(5 * MINUTE))
    expect(world.latest.status).toBe('pending')
    // A failure that is found before sending costs nothing.
    world.fail('insufficient_funds').wait(MINUTE)
    expect(world.apply(refill())).toBe(true)
  })

  test('each failure of a charge on the chain waits longer, also when a pause has ended the dunning', () => {
    const world = due()
    const waits: number[] = []
    for (let count = 0; count < 6; count += 1) {
      const { retryFrom } = world.submit().land('insufficient_funds').latest
      waits.push(((retryFrom ?? FIRST).getTime() - world.now.getTime()) / MINUTE)
      world.apply(pause(world.facts, world.context()))
      world.apply(resume(world.facts, world.context()))
      expect(world.latest).toMatchObject({ status: 'pending', nextAttemptAt: retryFrom })
      expect(world.subscription).toMatchObject({ status: 'active', nextChargeAt: retryFrom })
      world.now = retryFrom ?? FIRST
    }
    expect(waits).toEqual([5, 30, 120, 1_200, 1_440, 1_440])
  })

  test('a charge that must wait beyond the end of its period is followed by that of the next period, and shown so', () => {
    const world = SubscriptionWorld.active(DAILY).run(DAY)
    for (let failures = 0; failures < 4; failures += 1) {
      world.submit().land('insufficient_funds')
      world.runTo(world.latest.nextAttemptAt ?? world.now)
    }
    world.submit().land('insufficient_funds')
    world.apply(pause(world.facts, world.context()))
    world.apply(resume(world.facts, world.context()))
    const { currentPeriodEnd, nextChargeAt } = world.subscription
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    expect(nextChargeAt).toEqual(currentPeriodEnd)
    expect(world.runTo(currentPeriodEnd ?? START).latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    expect(world.subscription.nextChargeAt).toEqual(currentPeriodEnd)
  })

  test('a charge that fails on the chain because of its payout waits as for every obstacle', () => {
    const world = due().submit().land('destination_unavailable')
    expect(world.latest).toMatchObject({ nextAttemptAt: at(HOUR), retryFrom: at(HOUR) })
  })

  test('a wallet that is filled again after the 7 days is not charged, before a worker has seen that', () => {
    const world = due().fail('insufficient_funds').wait(DUNNING_MS)
    expect(decideRefilled(world.facts, units(10_000_000n), world.context()).kind).toBe('unchanged')
  })

  test.each<FailureCode>(['account_frozen', 'destination_unavailable'])('a refill does not end %s', (code) => {
    const world = due().fail(code)
    expect(decideRefilled(world.facts, units(10n ** 12n), world.context()).kind).toBe('unchanged')
  })
})
