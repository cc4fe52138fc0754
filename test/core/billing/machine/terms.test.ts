// Changes of terms: another tier, or a renewal.
import { describe, expect, test } from 'vitest'
import { paymentsLeft } from '#core/billing/entitlement.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import { decideTermChange } from '#core/billing/machine/terms.ts'
import type { Slice } from '#core/billing/room.ts'
import { judgeTermChange, type TermChange, type TermConsent, type TermOrder } from '#core/billing/term-change.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ZERO } from '#core/money/amounts.ts'
import { cancelLater, cancelNow, pause, STRANGER } from '../../../support/charge.ts'
import { signatureNo, units } from '../../../support/payment.ts'
import { DAY, HOUR, START, SubscriptionWorld, TIER, termsOf } from '../../../support/subscription-world.ts'

const FEBRUARY = new Date('2026-02-28T10:00:00.000Z')
const MARCH = new Date('2026-03-31T10:00:00.000Z')
const DAILY: Tier = { ...TIER, interval: 'day' }
const CHEAPER: Tier = { ...TIER, id: 'cheaper', unitBaseUnits: units(4_000_000n) }
const DEARER: Tier = { ...TIER, id: 'dearer', unitBaseUnits: units(15_000_000n) }
const YEARLY: Tier = { ...TIER, id: 'yearly', interval: 'year', unitBaseUnits: units(100_000_000n) }
/** The same price for each week as for each month. */
const WEEKLY: Tier = { ...TIER, id: 'weekly', interval: 'week' }

const change = (tier: Tier): TermOrder => ({ kind: 'change', tier })
const RENEW: TermOrder = { kind: 'renew' }
const judge = (world: SubscriptionWorld, order: TermOrder) => judgeTermChange(world.facts, order)

function termsIn(judged: TermChange) {
  if (judged.kind === 'refused') throw new Error(judged.code)
  return judged.terms
}

/** Judges and applies an order. */
function decide(world: SubscriptionWorld, order: TermOrder, consent: TermConsent) {
  const tier = order.kind === 'change' ? order.tier : world.facts.terms.tier
  const agreed = { kind: order.kind, agreed: termsIn(judge(world, order)), next: termsOf(tier) }
  return decideTermChange(world.facts, agreed, consent, world.context())
}
function apply(world: SubscriptionWorld, order: TermOrder, consent: TermConsent): SubscriptionWorld {
  if (!world.apply(decide(world, order, consent))) throw new Error('nothing changed')
  if (order.kind === 'change') world.facts = { ...world.facts, terms: termsOf(order.tier) }
  return world
}

const withAllowance = (world: SubscriptionWorld, chainAllowance: bigint, patch: Partial<BillingFacts> = {}) => {
  const { delegation } = world.facts
  world.facts = { ...world.facts, delegation: { ...delegation, chainAllowance: units(chainAllowance) }, ...patch }
  return world
}
const other = (remaining: bigint): Slice => ({
  subscriptionId: 'other',
  status: 'active',
  remaining: units(remaining),
  inFlight: units(0n),
  createdAt: START,
})

const NOTHING = { by: 'nothing' } as const
const PROOF = { by: 'proof' } as const
const APPROVE = { by: 'approve', signature: signatureNo(9), epoch: 2, pulledSince: ZERO, agreedAt: START } as const

describe('a change of tier', () => {
  test('that lowers needs no agreement: the new slice is the new unit for the remaining periods', () => {
    const world = apply(SubscriptionWorld.active(), change(CHEAPER), NOTHING)
    expect(world.subscription).toMatchObject({
      tierId: 'cheaper',
      unitAmount: 4_000_000n,
      periods: 11,
      authorizedAmount: 44_000_000n,
      spentAmount: 0n,
      delegationEpoch: 1,
      status: 'active',
    })
    expect(world.eventTypes.at(-1)).toBe('subscription.updated')
  })

  test('applies from the next charge: the current period stays as it was paid', () => {
    const world = apply(SubscriptionWorld.active(), change(CHEAPER), NOTHING).runTo(FEBRUARY)
    expect(world.charges.get(0)?.amount).toBe(10_000_000n)
    expect(world.latest).toMatchObject({ periodIndex: 1, amount: 4_000_000n, periodStart: FEBRUARY })
  })

  test.each([
    ['a higher unit amount', DEARER],
    ['a higher unit amount, though less for each day', YEARLY],
    ['a higher price for each day', WEEKLY],
  ])('with %s needs the agreement of the subscriber', (_name, tier) => {
    const world = SubscriptionWorld.active()
    expect(judge(world, change(tier)).kind).toBe('proof_required')
    expect(decide(world, change(tier), NOTHING)).toMatchObject({ kind: 'refused', code: 'wallet_proof_required' })
    expect(apply(world, change(tier), PROOF).subscription.tierId).toBe(tier.id)
  })

  test('to a higher unit amount needs agreement even when nothing remains authorized', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 1 })
    expect(judge(world, change(YEARLY))).toMatchObject({ kind: 'proof_required', terms: { periods: 0, slice: 0n } })
  })

  test('that is agreed to by a proof no longer shows the approve from before', () => {
    const world = apply(SubscriptionWorld.active(), change(DEARER), APPROVE)
    expect(world.subscription.approveSignature).toBe(signatureNo(9))
    apply(world, change({ ...DEARER, id: 'dearest', unitBaseUnits: units(16_000_000n) }), PROOF)
    expect(world.subscription.approveSignature).toBeNull()
  })

  test('needs an approve for the new total without room', () => {
    const world = withAllowance(SubscriptionWorld.active(), 164_999_999n, { others: [other(7n)] })
    expect(judge(world, change(DEARER))).toMatchObject({
      kind: 'approval_required',
      total: 165_000_007n,
      terms: { slice: 165_000_000n, periods: 11 },
    })
    expect(judge(withAllowance(world, 165_000_007n), change(DEARER)).kind).toBe('proof_required')
    expect(judge(withAllowance(world, 165_000_006n), change(DEARER)).kind).toBe('approval_required')
  })

  test('that lowers needs no room', () => {
    expect(judge(withAllowance(SubscriptionWorld.active(), 0n), change(CHEAPER)).kind).toBe('changed')
  })

  test('under another delegate has no room', () => {
    const world = SubscriptionWorld.active()
    world.facts = { ...world.facts, delegation: { ...world.facts.delegation, chainDelegate: STRANGER } }
    expect(judge(world, change(DEARER)).kind).toBe('approval_required')
  })

  test('judges again when it is applied: without room any more a proof is not enough', () => {
    const world = SubscriptionWorld.active()
    const agreed = { kind: 'change', agreed: termsIn(judge(world, change(DEARER))), next: termsOf(DEARER) } as const
    withAllowance(world, 0n)
    expect(decideTermChange(world.facts, agreed, PROOF, world.context())).toMatchObject({
      code: 'authorization_required',
    })
  })

  test('is refused when the terms are no longer those that were agreed to', () => {
    const world = SubscriptionWorld.active()
    const agreed = { kind: 'change', agreed: termsIn(judge(world, change(DEARER))), next: termsOf(DEARER) } as const
    world.runTo(FEBRUARY).charge()
    expect(decideTermChange(world.facts, agreed, PROOF, world.context())).toMatchObject({
      code: 'subscription_changed',
    })
  })

  test('by an approve for nothing leaves an exhausted subscription exhausted, on the new tier', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 1 })
    const agreed = { kind: 'change', agreed: termsIn(judge(world, change(DEARER))), next: termsOf(DEARER) } as const
    world.runTo(FEBRUARY)
    world.apply(decideTermChange(world.facts, agreed, APPROVE, world.context()))
    expect(world.subscription).toMatchObject({ status: 'exhausted', tierId: 'dearer', authorizedAmount: 0n })
  })

  test('to another interval gives no period away when the subscription is exhausted by then', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 1 })
    const agreed = { kind: 'change', agreed: termsIn(judge(world, change(WEEKLY))), next: termsOf(WEEKLY) } as const
    world.runTo(FEBRUARY)
    world.apply(decideTermChange(world.facts, agreed, APPROVE, world.context()))
    const end = new Date('2026-03-07T10:00:00.000Z')
    expect(world.subscription).toMatchObject({ status: 'exhausted', periodIndex: 1, currentPeriodEnd: end })
    world.facts = { ...world.facts, terms: termsOf(WEEKLY) }
    apply(world.run(DAY), RENEW, APPROVE)
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending', periodStart: FEBRUARY, periodEnd: end })
  })

  test('by an approve applies whatever has changed, and never to more than was agreed', () => {
    const world = withAllowance(SubscriptionWorld.active(), 0n)
    const agreed = { kind: 'change', agreed: termsIn(judge(world, change(DEARER))), next: termsOf(DEARER) } as const
    world.runTo(FEBRUARY).charge()
    world.apply(decideTermChange(world.facts, agreed, APPROVE, world.context()))
    expect(world.subscription).toMatchObject({
      authorizedAmount: 150_000_000n,
      periods: 10,
      approveSignature: signatureNo(9),
      delegationEpoch: 2,
    })
  })

  test('by an approve is for what a charge after it, booked before it, has left', () => {
    const world = withAllowance(SubscriptionWorld.active(), 0n)
    const agreed = { kind: 'renew', agreed: termsIn(judge(world, RENEW)), next: world.facts.terms } as const
    expect(agreed.agreed.slice).toBe(120_000_000n)
    world.runTo(FEBRUARY).charge()
    const consent = { ...APPROVE, pulledSince: TIER.unitBaseUnits }
    world.apply(decideTermChange(world.facts, agreed, consent, world.context()))
    expect(world.subscription).toMatchObject({ status: 'active', authorizedAmount: 110_000_000n, spentAmount: 0n })
  })

  test('while an approve for a renewal is under way keeps its price and rhythm when that approve is final', () => {
    const world = withAllowance(SubscriptionWorld.active(), 0n)
    world.runTo(FEBRUARY).charge()
    const renewal = { kind: 'renew', agreed: termsIn(judge(world, RENEW)) } as const
    // Less a day than before, and more periods left than the tier gives.
    const daily: Tier = { ...DAILY, id: 'daily', unitBaseUnits: units(300_000n), authorizationPeriods: 7 }
    apply(world, change(daily), NOTHING)
    world.apply(decideTermChange(world.facts, { ...renewal, next: world.facts.terms }, APPROVE, world.context()))
    expect(world.subscription).toMatchObject({ tierId: 'daily', unitAmount: 300_000n, interval: 'day', periods: 10 })
    expect(world.subscription.authorizedAmount).toBe(3_000_000n)
  })

  describe('while a charge is unpaid', () => {
    const AGREED = { kind: 'change', next: termsOf(CHEAPER) } as const
    const planned = () => SubscriptionWorld.active().runTo(FEBRUARY)

    test.each([
      ['is planned', planned],
      ['is under way', () => planned().submit()],
      ['has failed', () => planned().fail('insufficient_funds')],
    ])('that %s is refused, with the charge', (_name, make) => {
      const world = make()
      const code = { code: 'charge_in_progress', context: { charge_id: world.latest.id } }
      expect(judge(world, change(CHEAPER))).toMatchObject({ kind: 'refused', ...code })
    })

    test('is refused until that charge has succeeded', () => {
      const world = apply(planned().submit().land(), change(CHEAPER), NOTHING)
      expect(world.subscription).toMatchObject({ tierId: 'cheaper', authorizedAmount: 40_000_000n, spentAmount: 0n })
    })

    test('is refused until that charge is canceled, because its period is over', () => {
      const world = SubscriptionWorld.active(DAILY).run(DAY)
      world.fail('destination_unavailable')
      world.wait(DAY).due()
      expect(world.charges.get(1)?.status).toBe('canceled')
      apply(world.charge(), change({ ...CHEAPER, interval: 'day' }), NOTHING)
      expect(paymentsLeft(world.subscription)).toBe(10)
    })

    test.each([
      ['is planned', planned],
      ['is under way', () => planned().submit()],
      ['has failed', () => planned().fail('insufficient_funds')],
      [
        'was canceled by a pause',
        () => {
          const world = planned()
          world.apply(pause(world.facts, world.context()))
          return world
        },
      ],
    ])('that %s, an approve from before changes nothing', (_name, make) => {
      const agreed = termsIn(judge(SubscriptionWorld.active(), change(CHEAPER)))
      const world = make()
      expect(decideTermChange(world.facts, { ...AGREED, agreed }, APPROVE, world.context()).kind).toBe('unchanged')
    })
  })

  test('to another interval begins its calendar at the end of the current period', () => {
    const world = apply(SubscriptionWorld.active(), change(WEEKLY), PROOF)
    expect(world.subscription).toMatchObject({ anchor: FEBRUARY, anchorPeriod: 1, currentPeriodEnd: FEBRUARY })
    world.runTo(FEBRUARY)
    expect(world.latest).toMatchObject({ periodIndex: 1, periodEnd: new Date('2026-03-07T10:00:00.000Z') })
    world.charge().runTo(new Date('2026-03-07T10:00:00.000Z'))
    expect(world.latest.periodIndex).toBe(2)
  })

  test('to the same interval keeps the calendar', () => {
    const world = apply(SubscriptionWorld.active().runTo(FEBRUARY).charge(), change(CHEAPER), NOTHING)
    expect(world.subscription).toMatchObject({ anchor: START, anchorPeriod: 0, currentPeriodEnd: MARCH })
  })

  test('with missed periods to another interval passes over those that the new calendar does not have', () => {
    const weekly = SubscriptionWorld.active({ ...WEEKLY, id: 'tier-1' }).wait(24 * DAY)
    weekly.due()
    weekly.charge()
    expect(weekly.subscription).toMatchObject({ periodIndex: 3, nextChargePeriod: 2 })
    apply(weekly, change({ ...CHEAPER, interval: 'month' }), NOTHING)
    expect(weekly.subscription).toMatchObject({ anchorPeriod: 4, nextChargePeriod: 4 })
    expect(weekly.run(25 * HOUR).latest).toMatchObject({ periodIndex: 1, status: 'succeeded' })
    expect(weekly.run(3 * DAY).latest).toMatchObject({ periodIndex: 4, status: 'pending', amount: 4_000_000n })
  })

  test.each([
    ['a longer one', WEEKLY, DEARER],
    ['a shorter one', { ...DEARER, id: 'monthly' }, { ...CHEAPER, interval: 'week' }],
  ] as const)(
    'to %s takes the new price for periods of the new calendar only, after a time without charges',
    (_, from, to) => {
      const world = SubscriptionWorld.active({ ...from, id: 'tier-1' }).wait(70 * DAY)
      world.due()
      expect(world.charge().subscription.nextChargePeriod).toBeLessThanOrEqual(world.subscription.periodIndex)
      apply(world, change(to), PROOF)
      const { currentPeriodEnd } = world.subscription
      if (currentPeriodEnd === null) throw new Error('no period')
      expect(world.runTo(new Date(currentPeriodEnd.getTime() - 1)).latest.status).toBe('succeeded')
      expect(world.run(1).latest).toMatchObject({ amount: to.unitBaseUnits, periodStart: currentPeriodEnd })
    },
  )

  test('to another interval passes over the current period when it has no charge', () => {
    const missed = SubscriptionWorld.active(WEEKLY).wait(24 * DAY)
    missed.due()
    missed.charge()
    expect(missed.subscription).toMatchObject({ periodIndex: 3, nextChargePeriod: 2 })
    apply(missed, change(DEARER), PROOF)
    expect(missed.pulls.at(-1)).toMatchObject({ periodIndex: 1, amount: 10_000_000n })
    expect(missed.subscription).toMatchObject({ anchorPeriod: 4, nextChargePeriod: 4 })
  })

  test.each<[string, Tier, string]>([
    ['the same tier', TIER, 'same_tier'],
    ['a tier of another product', { ...CHEAPER, productId: 'another' }, 'different_product'],
    ['an archived tier', { ...CHEAPER, archivedAt: START }, 'tier_archived'],
    ['a tier in another token', { ...CHEAPER, mint: STRANGER }, 'tier_mint_mismatch'],
  ])('to %s is refused', (_name, tier, code) => {
    expect(judge(SubscriptionWorld.active(), change(tier))).toMatchObject({ kind: 'refused', code })
  })

  test('to a total above 2^64 − 1 is refused', () => {
    const tier = { ...DEARER, unitBaseUnits: units(2n ** 62n) }
    expect(judge(SubscriptionWorld.active(), change(tier))).toMatchObject({ code: 'authorization_total_too_large' })
  })
})

describe('a change that its status refuses', () => {
  const paused = () => {
    const world = SubscriptionWorld.active()
    world.apply(pause(world.facts, world.context()))
    return world
  }
  const canceling = () => {
    const world = SubscriptionWorld.active()
    world.apply(cancelLater(world.facts, world.context()))
    return world
  }
  const canceled = () => {
    const world = SubscriptionWorld.active()
    world.apply(cancelNow(world.facts, world.context()))
    return world
  }
  const revoked = () => {
    const world = SubscriptionWorld.active()
    world.revoke()
    return world
  }

  test.each([
    ['incomplete', SubscriptionWorld.incomplete, change(CHEAPER), 'subscription_incomplete'],
    ['incomplete', SubscriptionWorld.incomplete, RENEW, 'subscription_incomplete'],
    ['canceled', canceled, change(CHEAPER), 'subscription_ended'],
    ['canceled', canceled, RENEW, 'subscription_ended'],
    ['paused', paused, change(CHEAPER), 'subscription_paused'],
    ['paused', paused, RENEW, 'subscription_paused'],
    ['canceling', canceling, change(CHEAPER), 'subscription_canceling'],
    ['canceling', canceling, RENEW, 'subscription_canceling'],
    ['revoked', revoked, change(CHEAPER), 'authorization_exhausted'],
  ] as const)('%s: %o', (_status, make, order, code) => {
    expect(judge(make(), order)).toMatchObject({ kind: 'refused', code })
  })

  test('by an approve that landed too late changes nothing of an ended subscription', () => {
    const world = SubscriptionWorld.active()
    const agreed = { kind: 'change', agreed: termsIn(judge(world, change(DEARER))), next: termsOf(DEARER) } as const
    world.apply(cancelNow(world.facts, world.context()))
    expect(decideTermChange(world.facts, agreed, APPROVE, world.context()).kind).toBe('unchanged')
  })
})

describe('a renewal', () => {
  const lastPeriod = () => {
    const world = SubscriptionWorld.active({ ...DAILY, authorizationPeriods: 2 })
      .run(DAY)
      .charge()
    expect(world.subscription.status).toBe('renewal_required')
    return world
  }

  test('always needs agreement, and sets the remaining periods to those of the tier again', () => {
    const world = lastPeriod()
    expect(decide(world, RENEW, NOTHING)).toMatchObject({ code: 'wallet_proof_required' })
    apply(world, RENEW, PROOF)
    expect(world.subscription).toMatchObject({
      status: 'active',
      periods: 2,
      authorizedAmount: 20_000_000n,
      spentAmount: 0n,
      approveSignature: null,
      nextChargeAt: world.subscription.currentPeriodEnd,
    })
    expect(world.eventTypes.at(-1)).toBe('subscription.updated')
  })

  test('without room needs an approve for the whole slice', () => {
    expect(judge(withAllowance(lastPeriod(), 0n, { others: [other(5n)] }), RENEW)).toMatchObject({
      kind: 'approval_required',
      total: 20_000_005n,
    })
  })

  test('with every period still authorized is refused', () => {
    const world = apply(lastPeriod(), RENEW, PROOF)
    expect(judge(world, RENEW)).toMatchObject({ code: 'nothing_to_renew' })
    world.run(DAY)
    expect(judge(world, RENEW)).toMatchObject({ code: 'nothing_to_renew' })
    world.charge()
    expect(judge(world, RENEW)).toMatchObject({ kind: 'proof_required', terms: { periods: 2, slice: 20_000_000n } })
  })

  test('of an exhausted subscription charges the period that contains now, and no earlier one', () => {
    const world = lastPeriod().run(5 * DAY + HOUR)
    expect(world.subscription.status).toBe('exhausted')
    apply(world, RENEW, APPROVE)
    expect(world.subscription).toMatchObject({ status: 'active', periodIndex: 6, delegationEpoch: 2 })
    expect(world.latest).toMatchObject({ periodIndex: 6, status: 'pending', delegationEpoch: 2 })
    expect([...world.charges.keys()]).toEqual([0, 1, 6])
    expect(world.eventTypes).toContain('subscription.resumed')
  })

  test('revives a revoked subscription, with all of its periods authorized or not', () => {
    const world = SubscriptionWorld.active({ ...DAILY, authorizationPeriods: 1 })
    apply(world, RENEW, PROOF)
    world.revoke()
    expect(judge(world, RENEW).kind).toBe('proof_required')
    apply(world, RENEW, PROOF)
    expect(world.subscription.status).toBe('active')
    expect(world.eventTypes.at(-1)).toBe('subscription.resumed')
  })

  describe('of a revoked subscription that ends with its period', () => {
    const canceling = () => {
      const world = SubscriptionWorld.active().run(DAY)
      world.apply(cancelLater(world.facts, world.context()))
      world.revoke()
      expect(world.subscription).toMatchObject({ status: 'revoked', cancelAtPeriodEnd: true, dueAt: FEBRUARY })
      return world.run(DAY)
    }

    test.each([
      ['a text', () => PROOF],
      ['an approve', ({ now }: SubscriptionWorld) => ({ ...APPROVE, agreedAt: now })],
    ])('by %s clears the cancellation: nothing else lets it go on', (_name, by) => {
      const world = canceling()
      apply(world, RENEW, by(world))
      expect(world.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, canceledAt: null })
      expect(world.eventTypes.at(-1)).toBe('subscription.resumed')
      expect(world.runTo(FEBRUARY).charge().subscription.status).toBe('active')
    })

    test('by an approve from before the cancellation leaves it: the subscriber canceled after agreeing', () => {
      const world = apply(canceling(), RENEW, APPROVE)
      expect(world.subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
      expect(world.runTo(FEBRUARY).subscription.status).toBe('canceled')
      expect(world.charges.size).toBe(1)
    })
  })

  test('after a charge that was revoked plans that charge again within its period', () => {
    const world = SubscriptionWorld.active(DAILY).run(DAY).fail('delegate_revoked')
    apply(world.run(HOUR), RENEW, APPROVE)
    expect(world.latest).toMatchObject({ periodIndex: 1, status: 'pending', delegationEpoch: 2, failureCode: null })
    expect(world.subscription).toMatchObject({ authorizedAmount: 120_000_000n, spentAmount: 0n })
    expect(world.charge().subscription).toMatchObject({ status: 'active', spentAmount: 10_000_000n })
  })

  test('of a past-due subscription leaves dunning as it is', () => {
    const world = SubscriptionWorld.active().runTo(FEBRUARY).fail('insufficient_funds')
    const { nextAttemptAt } = world.latest
    apply(world, RENEW, PROOF)
    expect(world.subscription).toMatchObject({ status: 'past_due', periods: 12, authorizedAmount: 120_000_000n })
    expect(world.latest.nextAttemptAt).toEqual(nextAttemptAt)
  })

  test('by an approve for less than an unpaid charge leaves the slice that pays it', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 2 })
    const renewal = { kind: 'renew', agreed: { ...termsIn(judge(world, RENEW)), slice: units(9_999_999n) } } as const
    const order = { ...renewal, next: world.facts.terms }
    world.runTo(FEBRUARY)
    expect(decideTermChange(world.facts, order, APPROVE, world.context()).kind).toBe('unchanged')
  })

  test('for one period requires the next renewal when that period begins', () => {
    const world = SubscriptionWorld.active({ ...DAILY, authorizationPeriods: 1 })
    apply(world, RENEW, PROOF)
    expect(world.subscription.status).toBe('active')
    expect(world.run(DAY).subscription.status).toBe('renewal_required')
  })
})
