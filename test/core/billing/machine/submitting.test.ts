// The steps before and after an attempt: a charge that may have been sent is neither canceled nor planned again.
import { describe, expect, test } from 'vitest'
import { FAILURE_CODES } from '#core/billing/charge.ts'
import { decideFailed, decideSubmitted, submits } from '#core/billing/machine/submitting.ts'
import { cancelLater, cancelNow, pause, resume } from '../../../support/charge.ts'
import { signatureNo } from '../../../support/payment.ts'
import { DAY, HOUR, MINUTE, SubscriptionWorld, TIER } from '../../../support/subscription-world.ts'

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
