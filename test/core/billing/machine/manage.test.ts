// Pause, resume, charge now and cancel, by the business or the subscriber.
import { describe, expect, test } from 'vitest'
import type { DelegationStatus } from '#core/billing/delegation.ts'
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import {
  decideCancel,
  decideChargeNow,
  decideChargeRetry,
  decidePause,
  decideResume,
} from '#core/billing/machine/manage.ts'
import { decideRefilled, decideRevoked } from '#core/billing/machine/revoking.ts'
import type { Slice } from '#core/billing/room.ts'
import type { Party, SubscriptionStatus } from '#core/billing/subscription.ts'
import { makeBaseUnits, ZERO } from '#core/money/amounts.ts'
import { cancelLater, cancelNow, pause, resume } from '../../../support/charge.ts'
import { DAY, HOUR, MINUTE, START, SubscriptionWorld, TIER } from '../../../support/subscription-world.ts'

type Decide = (facts: BillingFacts, context: BillingContext) => Decision

const decide = (world: SubscriptionWorld, how: Decide) => how(world.facts, world.context())
function act(world: SubscriptionWorld, how: Decide): SubscriptionWorld {
  if (!world.apply(decide(world, how))) throw new Error('nothing changed')
  return world
}

function revoke(world: SubscriptionWorld): SubscriptionWorld {
  if (!world.revoke()) throw new Error('not revoked')
  return world
}

const FEBRUARY = new Date('2026-02-28T10:00:00.000Z')
const MARCH = new Date('2026-03-31T10:00:00.000Z')
const due = () => SubscriptionWorld.active().runTo(FEBRUARY)
/** A worker has begun with the charge that is due. */
const begun = (step: 'claim' | 'prepare') => {
  const world = due()
  expect(world[step]()).toBe(true)
  return world
}
const ONCE = { ...TIER, authorizationPeriods: 1 }

/** A subscription in each status. */
const IN: Readonly<Record<SubscriptionStatus, () => SubscriptionWorld>> = {
  incomplete: () => SubscriptionWorld.incomplete(),
  trialing: () => SubscriptionWorld.trialing(14),
  active: () => SubscriptionWorld.active(),
  renewal_required: () => SubscriptionWorld.active(ONCE),
  past_due: () => due().fail('insufficient_funds'),
  paused: () => act(SubscriptionWorld.active(), pause),
  revoked: () => revoke(SubscriptionWorld.active()),
  exhausted: () => SubscriptionWorld.active(ONCE).runTo(FEBRUARY),
  canceled: () => act(SubscriptionWorld.active(), cancelNow),
  failed: () =>
    SubscriptionWorld.incomplete()
      .fail('insufficient_funds')
      .run(23 * HOUR),
}

describe('what is refused', () => {
  const INCOMPLETE = { code: 'subscription_incomplete', context: {} }
  const ended = (status: string) => ({ code: 'subscription_ended', context: { status } })
  const exhausted = (status: string) => ({ code: 'authorization_exhausted', context: { status } })

  test.each<[string, Decide, SubscriptionStatus, object]>([
    ...(['pause', 'resume', 'charge now', 'cancel'] as const).flatMap(
      (name): [string, Decide, SubscriptionStatus, object][] => {
        const how = { pause, resume, 'charge now': decideChargeNow, cancel: cancelNow }[name]
        return [
          [name, how, 'incomplete', INCOMPLETE],
          [name, how, 'canceled', ended('canceled')],
          [name, how, 'failed', ended('failed')],
        ]
      },
    ),
    ['charge now', decideChargeNow, 'exhausted', exhausted('exhausted')],
    ['charge now', decideChargeNow, 'revoked', exhausted('revoked')],
    ['resume', resume, 'revoked', exhausted('revoked')],
    ['resume', resume, 'exhausted', exhausted('exhausted')],
    ['pause', pause, 'revoked', exhausted('revoked')],
    ['pause', pause, 'exhausted', exhausted('exhausted')],
    ['charge now', decideChargeNow, 'renewal_required', exhausted('renewal_required')],
  ])('%s a subscription that is %o', (_name, how, status, refusal) => {
    expect(decide(IN[status](), how)).toEqual({ kind: 'refused', ...refusal })
  })
})

describe('a pause', () => {
  test.each(['active', 'renewal_required', 'past_due'] as const)('stops a subscription that is %s', (status) => {
    const world = act(IN[status](), pause)
    expect(world.subscription).toMatchObject({ status: 'paused', pastDueSince: null, nextChargeAt: null, dueAt: null })
    expect(world.eventTypes.at(-1)).toBe('subscription.paused')
  })

  test('cancels a charge that was not sent, and no worker can send it any more', () => {
    const world = due()
    world.claim()
    const { lease } = world
    act(world, pause)
    expect(world.latest.status).toBe('canceled')
    expect(world.own.transfer).toMatchObject({ status: 'failed', fence: lease.fence + 1n })
    expect(world.prepare()).toBe(false)
  })

  test('ends an attempt that is not signed', () => {
    const world = due()
    expect(world.prepare()).toBe(true)
    act(world, pause)
    expect([world.latest.status, world.own.live]).toEqual(['canceled', null])
  })

  test('lets a charge under way go on, and keeps what it paid', () => {
    const world = act(due().submit(), pause)
    expect(world.latest.status).toBe('submitted')
    world.land()
    expect(world.subscription).toMatchObject({ status: 'paused', spentAmount: 20_000_000n, nextChargePeriod: 2 })
  })

  test('ends a charge under way that fails: no retry follows', () => {
    const world = act(due().submit(), pause).land('insufficient_funds')
    expect(world.latest).toMatchObject({ status: 'canceled', failureCode: 'insufficient_funds', nextAttemptAt: null })
    expect(world.subscription.status).toBe('paused')
    expect(world.eventTypes.at(-1)).toBe('charge.failed')
  })

  test('is not repeated', () => {
    expect(decide(IN.paused(), pause).kind).toBe('unchanged')
  })

  test('of a subscription that is canceled at the end of its period is refused', () => {
    expect(decide(act(IN.active(), cancelLater), pause)).toMatchObject({ code: 'subscription_canceling' })
  })
})

describe.each([
  ['resume', resume],
  ['charge now', decideChargeNow],
] as const)('%s of a paused subscription', (_name, how) => {
  test('within the paid period charges nothing before the next', () => {
    const world = act(IN.paused().run(DAY), how)
    expect(world.subscription).toMatchObject({ status: 'active', nextChargeAt: FEBRUARY })
    expect(world.charges.size).toBe(1)
    expect(world.eventTypes.at(-1)).toBe('subscription.resumed')
  })

  test('charges the period that contains now, and no earlier unpaid one', () => {
    const world = IN.paused().runTo(new Date('2026-05-10T00:00:00.000Z'))
    act(world, how)
    expect(world.subscription).toMatchObject({
      periodIndex: 3,
      currentPeriodStart: new Date('2026-04-30T10:00:00.000Z'),
      nextChargePeriod: 3,
    })
    expect(world.latest).toMatchObject({ periodIndex: 3, status: 'pending' })
    expect([...world.charges.keys()]).toEqual([0, 3])
  })

  test('plans the canceled charge of the same period again, with the same transfer', () => {
    const world = due()
    const { id: transferId } = world.own.transfer
    const { id } = world.latest
    act(act(world, pause).run(DAY), how)
    expect(world.latest).toMatchObject({ id, status: 'pending', failureCode: null, periodIndex: 1 })
    expect(world.own.transfer).toMatchObject({ id: transferId, status: 'planned' })
    expect(world.charge().pulls).toHaveLength(2)
  })

  test('is past due when the charge fails', () => {
    expect(act(act(due(), pause), how).fail('insufficient_funds').subscription.status).toBe('past_due')
  })
})

describe('a resume', () => {
  test('of a paused subscription with nothing authorized for this period leaves it exhausted', () => {
    const world = act(act(IN.renewal_required(), pause).runTo(MARCH), resume)
    expect(world.subscription).toMatchObject({ status: 'exhausted', nextChargeAt: null })
    expect(world.eventTypes).not.toContain('subscription.resumed')
    expect(world.eventTypes.at(-1)).toBe('subscription.exhausted')
  })

  test('while a charge of an earlier period is under way waits for it, and passes over the time of the pause', () => {
    const world = act(due().submit(), pause).runTo(new Date('2026-05-10T00:00:00.000Z'))
    act(world, resume)
    expect(world.subscription).toMatchObject({ status: 'active', nextChargePeriod: 3 })
    expect(world.land().due()).toBe(false)
    expect([...world.run(DAY).charges.keys()]).toEqual([0, 1, 3])
  })

  test.each(['revoked', 'replaced'] as const)(
    'has a delegation that is %s read again, because it was not read while nothing else needed it',
    (status) => {
      const world = act(IN.active(), pause)
      world.facts = { ...world.facts, delegation: { ...world.facts.delegation, status } }
      expect(act(world, resume).lastChange?.delegation?.after.status).toBe('active')
    },
  )

  test('of a subscription whose delegation is active leaves the delegation alone', () => {
    expect(act(act(IN.active(), pause), resume).lastChange?.delegation).toBeNull()
  })

  test('of a canceling subscription clears the cancellation', () => {
    const world = act(act(IN.active(), cancelLater), resume)
    expect(world.subscription).toMatchObject({ cancelAtPeriodEnd: false, canceledAt: null, nextChargeAt: FEBRUARY })
    expect(world.eventTypes.at(-1)).toBe('subscription.resumed')
  })

  test('of a canceling subscription in its last authorized period leaves it there', () => {
    const world = act(act(IN.renewal_required(), cancelLater), resume)
    expect(world.subscription).toMatchObject({ status: 'renewal_required', cancelAtPeriodEnd: false })
    expect(world.eventTypes.at(-1)).toBe('subscription.resumed')
  })

  test('of a canceling subscription makes its unpaid charge due again, with the same transfer', () => {
    const world = IN.past_due()
    const { id: transferId } = world.own.transfer
    act(act(world, cancelLater).run(DAY), resume)
    expect(world.subscription).toMatchObject({ status: 'active', nextChargeAt: world.now })
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending' })
    expect(world.own.transfer).toMatchObject({ id: transferId, status: 'planned' })
    expect(world.charge().pulls.map(({ periodIndex }) => periodIndex)).toEqual([0, 1])
  })

  test('of a canceling subscription does not shorten the wait after a failure on the chain', () => {
    const world = due().submit().land('insufficient_funds')
    const { retryFrom } = world.latest
    expect(retryFrom).not.toBeNull()
    act(act(world, cancelLater), resume)
    expect(world.latest.nextAttemptAt).toEqual(retryFrom)
  })

  test('of a canceling subscription begins dunning again when its charge fails', () => {
    const world = act(act(IN.past_due(), cancelLater).run(DAY), resume).fail('insufficient_funds')
    expect(world.subscription).toMatchObject({ status: 'past_due', pastDueSince: world.now, dunningAttempts: 1 })
    expect(world.eventTypes.at(-1)).toBe('subscription.past_due')
  })

  test('of a canceling subscription waits for its charge under way', () => {
    const world = act(act(due().submit(), cancelLater), resume)
    expect(world.latest.status).toBe('submitted')
    expect(world.land().subscription).toMatchObject({ status: 'active', nextChargeAt: MARCH })
    expect(world.pulls).toHaveLength(2)
  })

  test.each(['active', 'renewal_required', 'past_due'] as const)('of one that is %s changes nothing', (status) => {
    expect(decide(IN[status](), resume).kind).toBe('unchanged')
  })
})

describe('what the subscriber has stopped', () => {
  const by =
    (party: Party, stop: typeof decidePause): Decide =>
    (facts, context) =>
      stop(facts, party, context)
  const scheduled: typeof decidePause = (facts, party, context) => decideCancel(facts, true, party, context)
  const STOPS = [
    ['a pause', decidePause, 'subscription_paused'],
    ['a cancellation', scheduled, 'subscription_canceling'],
  ] as const

  test.each(STOPS)('by %s only the subscriber lets go on', (_name, stop, code) => {
    const world = act(due(), by('subscriber', stop))
    expect(world.subscription.stoppedBy).toBe('subscriber')
    for (const start of [resume, decideChargeNow])
      expect(decide(world, start)).toEqual({ kind: 'refused', code, context: {} })
    expect(act(world, by('subscriber', decideResume)).subscription).toMatchObject({ status: 'active', stoppedBy: null })
    expect(world.charge().pulls).toHaveLength(2)
  })

  test.each(STOPS)('by %s stays so when the business stops it as well', (_name, stop, code) => {
    const world = act(IN.active(), by('subscriber', stop))
    expect(decide(world, by('business', stop)).kind).toBe('unchanged')
    expect(decide(world, resume)).toMatchObject({ code })
  })

  test.each(STOPS)('by %s after the business did is the subscriber’s, with an event, once', (_name, stop, code) => {
    const world = act(act(IN.active(), by('business', stop)), by('subscriber', stop))
    expect(world.subscription.stoppedBy).toBe('subscriber')
    expect(world.eventTypes.at(-1)).toBe('subscription.updated')
    expect(decide(world, resume)).toMatchObject({ code })
    expect(decide(world, by('subscriber', stop)).kind).toBe('unchanged')
  })

  test.each(STOPS)('by %s of the business it lets go on itself, and so does the subscriber', (_name, stop) => {
    for (const start of [resume, by('subscriber', decideResume)]) {
      const world = act(IN.active(), by('business', stop))
      expect(world.subscription.stoppedBy).toBe('business')
      expect(act(world, start).subscription).toMatchObject({ status: 'active', stoppedBy: null })
    }
  })

  test('by neither, for a lack of payment, both let go on', () => {
    const world = IN.past_due().run(7 * DAY)
    expect(world.subscription).toMatchObject({ status: 'paused', stoppedBy: null })
    expect(act(world, resume).subscription.status).toBe('active')
  })

  test('by a pause the business can still cancel', () => {
    const world = act(act(IN.active(), by('subscriber', decidePause)), cancelLater)
    expect(world.subscription).toMatchObject({ status: 'canceled', stoppedBy: 'business' })
  })
})

describe('charge now', () => {
  test('charges the present period, when that of the failed charge ended before a worker has seen it', () => {
    const world = act(
      due()
        .fail('destination_unavailable')
        .wait(40 * DAY),
      decideChargeNow,
    )
    expect(world.latest).toMatchObject({ periodIndex: 2, status: 'pending' })
    expect(world.charge().pulls.map(({ periodIndex }) => periodIndex)).toEqual([0, 2])
  })

  test('with nothing due is refused with the time of the next charge', () => {
    expect(decide(IN.active(), decideChargeNow)).toMatchObject({
      code: 'charge_already_scheduled',
      context: { next_charge_at: FEBRUARY.toISOString() },
    })
  })

  test('tries a failed charge at once', () => {
    const world = act(IN.past_due(), decideChargeNow)
    expect(world.latest.status).toBe('pending')
    expect(world.subscription.status).toBe('past_due')
  })

  test('that fails before sending changes none of the times of dunning', () => {
    const world = due().fail('insufficient_funds')
    const next = world.latest.nextAttemptAt
    for (let press = 0; press < 4; press += 1) {
      act(world.run(MINUTE), decideChargeNow).fail('insufficient_funds')
      expect(world.latest).toMatchObject({ status: 'failed', nextAttemptAt: next })
    }
    expect(world.subscription).toMatchObject({ status: 'past_due', dunningAttempts: 1, nextChargeAt: next })
  })

  test('after an obstacle begins dunning when the wallet is the cause', () => {
    const world = due().fail('destination_unavailable').run(MINUTE)
    act(world, decideChargeNow).fail('insufficient_funds')
    expect(world.subscription).toMatchObject({ status: 'past_due', pastDueSince: world.now, dunningAttempts: 1 })
    expect(world.latest.nextAttemptAt).toEqual(new Date(world.now.getTime() + 5 * MINUTE))
  })

  test('soon after a failure on the chain is refused with the time to wait', () => {
    const world = due().submit().land('insufficient_funds').wait(MINUTE)
    expect(decide(world, decideChargeNow)).toEqual({
      kind: 'refused',
      code: 'rate_limited',
      context: { retry_after_seconds: 240 },
    })
    world.wait(4 * MINUTE)
    expect(act(world, decideChargeNow).latest.status).toBe('pending')
  })

  test.each([
    ['planned', due],
    ['under way', () => due().submit()],
  ])('while a charge is %s is refused', (_name, make) => {
    const world = make()
    expect(decide(world, decideChargeNow)).toMatchObject({
      code: 'charge_in_progress',
      context: { charge_id: world.latest.id },
    })
  })

  test.each<[string, () => SubscriptionWorld]>([
    ['with nothing due', IN.active],
    ['whose period is unpaid', IN.past_due],
    ['with a charge under way', () => due().submit()],
  ])('of a canceling subscription %s is refused: only a resume clears a cancellation', (_case, make) => {
    const canceling = { kind: 'refused', code: 'subscription_canceling', context: {} }
    expect(decide(act(make(), cancelLater), decideChargeNow)).toEqual(canceling)
  })

  test('of a paused subscription with nothing authorized is refused', () => {
    const world = act(IN.renewal_required(), pause).runTo(MARCH)
    expect(decide(world, decideChargeNow)).toMatchObject({
      code: 'authorization_exhausted',
      context: { status: 'paused' },
    })
  })
})

describe('a cancellation', () => {
  test.each(['active', 'past_due', 'renewal_required'] as const)(
    'at the end of the period leaves %s until then',
    (status) => {
      const world = IN[status]()
      const end = world.subscription.currentPeriodEnd ?? world.now
      act(world, cancelLater)
      expect(world.subscription).toMatchObject({
        status,
        cancelAtPeriodEnd: true,
        canceledAt: world.now,
        endedAt: null,
      })
      expect(world.eventTypes.at(-1)).toBe('subscription.cancel_scheduled')
      const count = world.charges.size
      world.wait(end.getTime() - world.now.getTime())
      if (status !== 'past_due') world.due()
      while (world.subscription.status !== 'canceled') world.due()
      expect(world.subscription).toMatchObject({ endedAt: end, dueAt: null, nextChargeAt: null })
      expect(world.charges.size).toBe(count)
    },
  )

  test.each<[string, () => SubscriptionWorld]>([
    ['planned', due],
    ['leased by a worker', () => begun('claim')],
    ['prepared and not signed', () => begun('prepare')],
    ['waiting for its next try', IN.past_due],
    ['proved not to have landed', () => due().submit().abandon()],
  ])('at the end of the period cancels a charge that is %s, and no time and no refill pulls it', (_case, make) => {
    const world = act(make(), cancelLater)
    expect(world.subscription).toMatchObject({ nextChargeAt: null, pastDueSince: null, dueAt: MARCH })
    expect([world.latest.status, world.own.transfer.status]).toEqual(['canceled', 'failed'])
    expect(world.prepare()).toBe(false)
    expect(world.apply(decideRefilled(world.facts, makeBaseUnits(10n ** 12n), world.context()))).toBe(false)
    expect(world.runTo(MARCH).subscription).toMatchObject({ status: 'canceled', endedAt: MARCH })
    expect(world.pulls).toHaveLength(1)
  })

  test('at the end of the period lets a charge under way go on, and the subscription ends all the same', () => {
    const world = act(due().submit(), cancelLater)
    expect(world.latest.status).toBe('submitted')
    expect(world.subscription.nextChargeAt).toBeNull()
    world.land()
    expect(world.subscription).toMatchObject({ status: 'active', spentAmount: 20_000_000n, nextChargeAt: null })
    expect(world.runTo(MARCH).subscription.status).toBe('canceled')
  })

  test.each<[string, (world: SubscriptionWorld) => SubscriptionWorld]>([
    ['fails', (world) => world.land('insufficient_funds')],
    ['finds the allowance gone', (world) => world.land('delegate_revoked')],
    ['does not land', (world) => world.abandon().giveUp()],
  ])('at the end of the period ends a charge under way that %s: no retry follows', (_case, end) => {
    const world = end(act(due().submit(), cancelLater))
    expect([world.latest.status, world.eventTypes.at(-1)]).toEqual(['canceled', 'charge.failed'])
    expect(world.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true, nextChargeAt: null })
    expect(world.runTo(MARCH).subscription.status).toBe('canceled')
    expect(world.pulls).toHaveLength(1)
  })

  test('at once ends the subscription and cancels a charge that was not sent', () => {
    const world = act(due(), cancelNow)
    expect(world.subscription).toMatchObject({
      status: 'canceled',
      canceledAt: FEBRUARY,
      endedAt: FEBRUARY,
      dueAt: null,
    })
    expect(world.latest.status).toBe('canceled')
    expect(world.prepare()).toBe(false)
  })

  test('at once lets a charge under way go on, and no retry follows', () => {
    const landed = act(due().submit(), cancelNow).land()
    expect(landed.subscription).toMatchObject({ status: 'canceled', spentAmount: 20_000_000n })
    const failed = act(due().submit(), cancelNow).land('insufficient_funds')
    expect(failed.latest.status).toBe('canceled')
  })

  test.each(['paused', 'revoked', 'exhausted'] as const)('of one that is %s takes effect at once', (status) => {
    expect(act(IN[status](), cancelLater).subscription.status).toBe('canceled')
  })

  test('at the end of the period is not scheduled twice, and can become one at once', () => {
    const world = act(IN.active(), cancelLater)
    const { now } = world
    expect(decide(world, cancelLater).kind).toBe('unchanged')
    act(world.run(DAY), cancelNow)
    expect(world.subscription).toMatchObject({ status: 'canceled', canceledAt: now, endedAt: world.now })
  })
})

describe('the end of a subscription', () => {
  const other: Slice = {
    subscriptionId: 'other',
    status: 'revoked',
    remaining: makeBaseUnits(10_000_000n),
    inFlight: ZERO,
    createdAt: START,
  }
  const uncovered = (world: SubscriptionWorld, status: DelegationStatus, others: readonly Slice[] = []) => {
    const delegation = { ...world.facts.delegation, status, chainDelegate: null, chainAllowance: ZERO }
    world.facts = { ...world.facts, delegation, others }
    return world
  }
  const delegationAfter = (world: SubscriptionWorld) => world.lastChange?.delegation?.after

  test.each(['revoked', 'replaced'] as const)('clears a delegation that is %s when nothing else needs it', (status) => {
    const world = act(uncovered(IN.revoked(), status).run(DAY), cancelNow)
    expect(delegationAfter(world)).toMatchObject({ status: 'cleared', clearedAt: world.now, updatedAt: world.now })
  })

  test('clears it also at the end of the period, and when the first charge is given up', () => {
    const ending = uncovered(revoke(act(IN.active(), cancelLater)), 'revoked').runTo(FEBRUARY)
    expect(delegationAfter(ending)).toMatchObject({ status: 'cleared', clearedAt: FEBRUARY })
    const first = uncovered(IN.incomplete().fail('insufficient_funds'), 'revoked').run(23 * HOUR)
    expect(first.subscription.status).toBe('failed')
    expect(delegationAfter(first)?.status).toBe('cleared')
  })

  test.each(['revoked', 'paused'] as const)('leaves it while another subscription is %s', (status) => {
    const world = act(uncovered(IN.revoked(), 'revoked', [{ ...other, status }]), cancelNow)
    expect(world.lastChange?.delegation).toBeNull()
    expect(world.facts.delegation).toMatchObject({ status: 'revoked', clearedAt: null })
  })

  test('clears one that is active, too', () => {
    expect(delegationAfter(act(IN.active(), cancelNow))?.status).toBe('cleared')
  })
})

describe('a revoked subscription', () => {
  test.each([
    ['active', due],
    ['past_due', IN.past_due],
    ['renewal_required', () => SubscriptionWorld.active({ ...TIER, authorizationPeriods: 2 }).runTo(FEBRUARY)],
  ] as const)('was %s, and its unsent charge is canceled', (_status, make) => {
    const world = revoke(make())
    expect(world.subscription).toMatchObject({
      status: 'revoked',
      pastDueSince: null,
      dueAt: null,
      nextChargeAt: null,
    })
    expect(world.eventTypes.at(-1)).toBe('subscription.revoked')
    expect(world.latest.status).toBe('canceled')
  })

  test('is not stopped when the allowance covers it after all', () => {
    const { facts, now } = IN.active()
    expect(decideRevoked(facts, { now, newChargeId: 'charge' }).kind).toBe('unchanged')
    const { delegation } = facts
    const lowered = (units: bigint): BillingFacts => ({
      ...facts,
      delegation: { ...delegation, chainAllowance: makeBaseUnits(units) },
    })
    expect(decideRevoked(lowered(110_000_000n), { now, newChargeId: 'charge' }).kind).toBe('unchanged')
    expect(decideRevoked(lowered(109_999_999n), { now, newChargeId: 'charge' }).kind).toBe('moved')
  })

  test('is not one whose slice is spent: it needs no allowance', () => {
    expect(IN.renewal_required().revoke()).toBe(false)
  })

  test('keeps its period, in which it is entitled', () => {
    expect(IN.revoked().subscription.currentPeriodEnd).toEqual(FEBRUARY)
  })

  test('keeps what a charge under way pays', () => {
    const world = revoke(due().submit()).land()
    expect(world.subscription).toMatchObject({ status: 'revoked', spentAmount: 20_000_000n })
  })

  test.each(['incomplete', 'paused', 'exhausted', 'canceled', 'failed'] as const)('does not come from %s', (status) => {
    expect(IN[status]().revoke()).toBe(false)
  })

  test('that was canceled at the end of its period ends with it', () => {
    const world = revoke(act(IN.active(), cancelLater))
    expect(world.runTo(FEBRUARY).subscription.status).toBe('canceled')
  })
})

describe('a retry by the operator', () => {
  const retry = (world: SubscriptionWorld, id = world.latest.id) => decideChargeRetry(world.facts, id, world.context())
  const refusedBecause = (reason: string) => ({ kind: 'refused', code: 'charge_not_retryable', context: { reason } })

  test.each(['destination_unavailable', 'platform_error', 'insufficient_funds', 'chain_unavailable'] as const)(
    'plans the same transfer again after %s',
    (code) => {
      const world = due().fail(code)
      const { transfer } = world.own
      expect(world.apply(retry(world))).toBe(true)
      expect(world.latest).toMatchObject({ status: 'pending', failureCode: null })
      expect(world.own.transfer).toMatchObject({ id: transfer.id, key: transfer.key, status: 'planned' })
      expect(world.charge().pulls.map(({ periodIndex }) => periodIndex)).toEqual([0, 1])
    },
  )

  test('does not wait after a failure on the chain', () => {
    const world = due().submit().land('platform_error')
    expect(world.apply(retry(world))).toBe(true)
    expect(world.latest).toMatchObject({ status: 'pending', nextAttemptAt: world.now, retryFrom: null })
  })

  test('is refused while the charge is under way, and so a second retry too', () => {
    const world = due()
    const inProgress = { kind: 'refused', code: 'charge_in_progress', context: { charge_id: world.latest.id } }
    expect(retry(world)).toEqual(inProgress)
    world.submit()
    expect(retry(world)).toEqual(inProgress)
    world.abandon().giveUp()
    world.apply(retry(world))
    expect(retry(world)).toEqual(inProgress)
  })

  test('is refused for a charge that has ended', () => {
    const world = due().charge()
    expect(retry(world)).toEqual(refusedBecause('The charge is succeeded.'))
    expect(retry(world, 'an earlier charge')).toEqual(refusedBecause('The charge has ended.'))
    for (const stop of [pause, cancelLater])
      expect(retry(act(due().fail('insufficient_funds'), stop))).toEqual(refusedBecause('The charge is canceled.'))
  })

  test('is refused when the subscriber must approve again', () => {
    const world = SubscriptionWorld.incomplete().fail('delegate_revoked')
    expect(retry(world)).toEqual(refusedBecause('The subscriber must approve again.'))
  })

  test.each<[string, () => SubscriptionWorld]>([
    [
      'its period has ended',
      () =>
        due()
          .fail('destination_unavailable')
          .wait(40 * DAY),
    ],
    [
      'dunning has ended',
      () =>
        due()
          .fail('insufficient_funds')
          .wait(7 * DAY),
    ],
    [
      'the first 23 hours are over',
      () =>
        SubscriptionWorld.incomplete()
          .fail('insufficient_funds')
          .wait(23 * HOUR),
    ],
  ])('is refused once %s, before a worker has seen that', (_case, build) => {
    expect(retry(build())).toEqual(refusedBecause('The time of the charge is over.'))
  })
})
