import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAILURE_CODES, RECOVERY } from '#core/billing/charge.ts'
import { paymentsLeft } from '#core/billing/entitlement.ts'
import { firstChargeOf, needsReapproval } from '#core/billing/first-charge.ts'
import { splitCharge } from '#core/billing/machine/charging.ts'
import { type Completion, decideCompletion } from '#core/billing/machine/completion.ts'
import { decideReapproved, decideRetry } from '#core/billing/machine/manage.ts'
import { SUBSCRIPTION_STATUSES } from '#core/billing/subscription.ts'
import { MAX_U64, makeBasisPoints } from '#core/money/amounts.ts'
import { DELEGATE, MERCHANT, PLATFORM, WALLET } from '../../support/charge.ts'
import { exampleCharge, exampleSubscription } from '../../support/example-billing.ts'
import { addressNo, signatureNo, units } from '../../support/payment.ts'
import {
  CHECKOUT,
  DAY,
  DELEGATION,
  HOUR,
  MINUTE,
  START,
  SubscriptionWorld,
  TIER,
  termsOf,
} from '../../support/subscription-world.ts'

// The first charge: until it is final the subscription is incomplete.
describe('the first charge', () => {
  const at = (ms: number) => new Date(START.getTime() + ms)
  const retry = (world: SubscriptionWorld) => decideRetry(world.facts, world.context())

  test('once it is final the subscription is active, and periods count from its block time', () => {
    const world = SubscriptionWorld.incomplete().submit().wait(40_000).land(null, at(15_000))
    expect(world.subscription).toMatchObject({
      status: 'active',
      anchor: at(15_000),
      currentPeriodStart: at(15_000),
      currentPeriodEnd: new Date('2026-02-28T10:00:15.000Z'),
      periodIndex: 0,
      nextChargePeriod: 1,
      nextChargeAt: new Date('2026-02-28T10:00:15.000Z'),
      spentAmount: 10_000_000n,
      activatedAt: at(40_000),
    })
    expect(world.latest).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      periodStart: at(15_000),
      periodEnd: new Date('2026-02-28T10:00:15.000Z'),
      settledAt: at(15_000),
    })
    expect(world.eventTypes.slice(2)).toEqual(['charge.succeeded', 'subscription.activated'])
  })

  test('without success within 23 hours the subscription has failed, and its charge is canceled', () => {
    const world = SubscriptionWorld.incomplete().fail('insufficient_funds')
    world.wait(23 * HOUR).due()
    expect(world.subscription).toMatchObject({
      status: 'failed',
      endedAt: at(23 * HOUR),
      dueAt: null,
      nextChargeAt: null,
    })
    expect(world.latest.status).toBe('canceled')
    expect(world.eventTypes.at(-1)).toBe('subscription.failed')
  })

  test('a transfer that was never attempted is withdrawn after 23 hours', () => {
    const world = SubscriptionWorld.incomplete()
    world.wait(23 * HOUR - 1)
    expect(world.due()).toBe(false)
    world.wait(1).due()
    expect(world.own.transfer.status).toBe('failed')
    expect(world.prepare()).toBe(false)
  })

  test('a first charge under way is not given up: its end decides', () => {
    const world = SubscriptionWorld.incomplete()
      .submit()
      .wait(2 * DAY)
    expect(world.due()).toBe(false)
    expect(world.land().subscription.status).toBe('active')
    const other = SubscriptionWorld.incomplete()
      .submit()
      .wait(2 * DAY)
      .land('insufficient_funds')
    expect(other.subscription.status).toBe('incomplete')
    other.due()
    expect(other.subscription.status).toBe('failed')
  })

  test('it is retried after 5 minutes, 30 minutes, 2 hours and 20 hours, within the 23 hours', () => {
    const world = SubscriptionWorld.incomplete()
    const tries = [5 * MINUTE, 35 * MINUTE, 155 * MINUTE, 1_355 * MINUTE]
    for (const time of tries) {
      world.fail('insufficient_funds')
      expect(world.latest.nextAttemptAt).toEqual(at(time))
      expect(world.subscription).toMatchObject({ status: 'incomplete', pastDueSince: null })
      world.runTo(at(time))
    }
    world.fail('insufficient_funds')
    expect(world.latest).toMatchObject({ nextAttemptAt: null, attempts: 5, firstFailedAt: START })
    expect(world.subscription).toMatchObject({ nextChargeAt: null, dueAt: at(23 * HOUR) })
  })

  test('a failure that needs a new approval is not retried, and does not revoke an incomplete subscription', () => {
    const world = SubscriptionWorld.incomplete().fail('delegate_revoked')
    expect(world.subscription).toMatchObject({ status: 'incomplete', nextChargeAt: null })
    expect(world.latest).toMatchObject({ status: 'failed', nextAttemptAt: null })
    expect(world.revoke()).toBe(false)
  })

  test('a payout that cannot receive is tried every hour', () => {
    const world = SubscriptionWorld.incomplete().fail('destination_unavailable')
    expect(world.latest.nextAttemptAt).toEqual(at(HOUR))
    expect(world.runTo(at(HOUR)).latest.status).toBe('pending')
  })

  test('the subscriber can retry a charge that failed, and no other', () => {
    const world = SubscriptionWorld.incomplete()
    expect(retry(world)).toMatchObject({ code: 'charge_in_progress', context: { charge_id: world.latest.id } })
    world.fail('delegate_revoked').wait(MINUTE).apply(retry(world))
    expect(world.latest).toMatchObject({ status: 'pending', failureCode: null })
    world.submit()
    expect(retry(world)).toMatchObject({ code: 'charge_in_progress' })
    world.land()
    expect(retry(world)).toMatchObject({ code: 'checkout_completed' })
  })

  test('within a minute after a failure a retry is refused with the time to wait: each failure is an event', () => {
    const world = SubscriptionWorld.incomplete()
      .fail('insufficient_funds')
      .wait(MINUTE - 1)
    expect(retry(world)).toEqual({ kind: 'refused', code: 'rate_limited', context: { retry_after_seconds: 1 } })
    expect(world.wait(1).apply(retry(world))).toBe(true)
  })

  test('retries that fail before sending change none of the times of dunning', () => {
    const world = SubscriptionWorld.incomplete().fail('insufficient_funds')
    const tries = [5 * MINUTE, 35 * MINUTE, 155 * MINUTE, 1_355 * MINUTE]
    for (const time of tries) {
      for (let press = 0; press < 3; press += 1) {
        world.run(MINUTE).apply(retry(world))
        world.fail('insufficient_funds')
        expect(world.latest.nextAttemptAt).toEqual(at(time))
        expect(world.subscription).toMatchObject({ nextChargeAt: at(time) })
      }
      world.runTo(at(time)).fail('insufficient_funds')
    }
    expect(world.latest.nextAttemptAt).toBeNull()
  })

  test('a retry that fails after the time of the next try was that try', () => {
    const world = SubscriptionWorld.incomplete().fail('insufficient_funds').run(MINUTE)
    world.apply(retry(world))
    world.run(6 * MINUTE).fail('insufficient_funds')
    expect(world.latest.nextAttemptAt).toEqual(at(37 * MINUTE))
  })

  test('soon after a failure on the chain a retry is refused with the time to wait, and another approve makes it wait', () => {
    const world = SubscriptionWorld.incomplete().submit().land('delegate_revoked').wait(MINUTE)
    expect(retry(world)).toEqual({ kind: 'refused', code: 'rate_limited', context: { retry_after_seconds: 240 } })
    world.apply(decideReapproved(world.facts, { signature: null, epoch: 2 }, world.context()))
    expect(world.latest).toMatchObject({ status: 'pending', nextAttemptAt: at(5 * MINUTE) })
    const other = SubscriptionWorld.incomplete()
      .submit()
      .land('insufficient_funds')
      .wait(5 * MINUTE)
    expect(other.apply(retry(other))).toBe(true)
  })

  test('after the failure of the subscription a retry is refused', () => {
    const world = SubscriptionWorld.incomplete()
      .fail('insufficient_funds')
      .run(23 * HOUR)
    expect(world.subscription.status).toBe('failed')
    expect(retry(world)).toMatchObject({ code: 'checkout_closed' })
  })

  test('once its 23 hours are over nothing tries it again, also before the round that ends the subscription', () => {
    const world = SubscriptionWorld.incomplete()
      .fail('delegate_revoked')
      .wait(23 * HOUR)
    expect(retry(world)).toMatchObject({ code: 'checkout_closed' })
    world.apply(decideReapproved(world.facts, { signature: null, epoch: 2 }, world.context()))
    expect(world.latest.status).toBe('failed')
    expect(world.due()).toBe(true)
    expect(world.subscription.status).toBe('failed')
  })

  test('with one authorized period a renewal is required at once', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 1 })
    expect(world.subscription).toMatchObject({ status: 'renewal_required', nextChargeAt: null })
    expect(world.eventTypes.slice(-2)).toEqual(['subscription.activated', 'subscription.renewal_required'])
  })

  test('a pull lowers the allowance of the last reading', () => {
    const world = SubscriptionWorld.incomplete()
    const { delegation } = world.facts
    world.facts = { ...world.facts, delegation: { ...delegation, chainAllowance: units(120_000_000n) } }
    expect(world.charge().facts.delegation.chainAllowance).toBe(110_000_000n)
  })
})

describe('figures of a charge', () => {
  const shown = (patch: Partial<typeof exampleCharge>) =>
    firstChargeOf({ ...exampleCharge, ...patch }, 'solana:mainnet')

  describe('the first charge', () => {
    test.each(FAILURE_CODES)('that failed with %s says what makes it possible again', (failureCode) => {
      const failed = { ...exampleCharge, status: 'failed', failureCode } as const
      expect(shown(failed)).toMatchObject({
        status: 'failed',
        recoveryAction: RECOVERY[failureCode],
        isGivenUp: false,
      })
      expect(needsReapproval(failed)).toBe(RECOVERY[failureCode] === 'reapprove')
    })

    test.each([null, ...FAILURE_CODES])(
      'that was given up after %s offers nothing, because nothing can be done',
      (code) => {
        const canceled = { ...exampleCharge, status: 'canceled', failureCode: code } as const
        expect(shown(canceled)).toMatchObject({ status: 'failed', recoveryAction: 'none', isGivenUp: true })
        expect(needsReapproval(canceled)).toBe(false)
      },
    )

    test.each(['pending', 'submitted', 'succeeded'] as const)('that is %s needs no recovery', (status) => {
      expect(shown({ status })).toMatchObject({ recoveryAction: null, isGivenUp: false })
    })
  })

  describe('entitlement', () => {
    test.each(SUBSCRIPTION_STATUSES)(
      'a subscription that is %s allows payments unless its authorization has ended',
      (status) => {
        const left = paymentsLeft({ ...exampleSubscription, status })
        expect(left).toBe(['revoked', 'canceled', 'failed'].includes(status) ? 0 : 11)
      },
    )
  })

  // The split of a charge between business and platform.
  describe('the split of a charge', () => {
    test('the fee is rounded down, and the rest goes to the business', () => {
      const terms = { platformFeeBps: makeBasisPoints(33), platformWallet: PLATFORM }
      expect(splitCharge(units(999n), terms)).toEqual({ amount: 999n, feeAmount: 3n, netAmount: 996n })
    })

    test('without a wallet of the platform there is no fee', () => {
      const terms = { platformFeeBps: makeBasisPoints(0), platformWallet: null }
      expect(splitCharge(units(999n), terms)).toEqual({ amount: 999n, feeAmount: 0n, netAmount: 999n })
    })

    test('fee and payout add up to the charge, and the fee is never above its rate', () => {
      fc.assert(
        fc.property(fc.bigInt({ min: 1n, max: MAX_U64 }), fc.integer({ min: 0, max: 10_000 }), (amount, bps) => {
          const split = splitCharge(units(amount), { platformFeeBps: makeBasisPoints(bps), platformWallet: PLATFORM })
          expect(split.feeAmount + split.netAmount).toBe(amount)
          expect(split.feeAmount * 10_000n).toBeLessThanOrEqual(amount * BigInt(bps))
        }),
      )
    })
  })
})

// A completed checkout becomes a subscription with its first charge planned.
const context = { now: START, newChargeId: 'charge-1' }
const completion: Completion = {
  checkout: CHECKOUT,
  subscriptionId: 'subscription',
  receiverAccountId: 'marketplace',
  wallet: WALLET,
  terms: termsOf(TIER),
  coupon: null,
  delegation: DELEGATION,
  others: [],
  trialDays: 0,
  consent: { by: 'proof' },
}
const decide = (patch: Partial<Completion> = {}, now = START) =>
  decideCompletion({ ...completion, ...patch }, { ...context, now })

function completed(patch: Partial<Completion> = {}) {
  const decision = decide(patch)
  if (decision.kind !== 'moved') throw new Error('the checkout is not completed')
  return decision.change
}

describe('a completed checkout', () => {
  test('makes an incomplete subscription with a slice for every period, and completes the checkout', () => {
    const { before, after, checkout, events } = completed()
    expect(before).toBeNull()
    expect(after).toMatchObject({
      id: 'subscription',
      accountId: 'business',
      receiverAccountId: 'marketplace',
      status: 'incomplete',
      unitAmount: 10_000_000n,
      periods: 12,
      authorizedAmount: 120_000_000n,
      spentAmount: 0n,
      delegationEpoch: 1,
      approveSignature: null,
      currentPeriodStart: null,
      nextChargeAt: START,
      dueAt: new Date(START.getTime() + 23 * HOUR),
      metadata: { plan: 'gold' },
    })
    expect(checkout).toEqual({
      before: CHECKOUT,
      after: {
        ...CHECKOUT,
        status: 'completed',
        subscriberWallet: WALLET,
        subscriptionId: 'subscription',
        version: 2,
        updatedAt: START,
        completedAt: START,
      },
    })
    expect(events.map(({ type }) => type)).toEqual(['subscription.created', 'charge.created'])
    expect(events[0]).toMatchObject({ subscription: after })
  })

  test('plans one transfer for period 0, signed by the delegate, with the payout and the fee of the platform', () => {
    const { charges, transfers } = completed()
    expect(charges).toMatchObject([
      {
        id: 'charge-1',
        periodIndex: 0,
        periodEnd: null,
        amount: 10_000_000n,
        feeAmount: 300_000n,
        netAmount: 9_700_000n,
        destinationAta: TIER.payoutAta,
        feeDestination: addressNo(811),
        status: 'pending',
        version: 1,
      },
    ])
    expect(transfers).toMatchObject([
      {
        key: 'charge:subscription:0',
        subject: { kind: 'charge', id: 'charge-1' },
        kind: 'charge',
        source: WALLET,
        authority: DELEGATE,
        legs: [
          { role: 'payout', destination: MERCHANT, amount: 9_700_000n },
          { role: 'platform', destination: PLATFORM, amount: 300_000n },
        ],
      },
    ])
  })

  test('after an approve it keeps the signature, and belongs to the epoch that the approve begins', () => {
    const consent = { by: 'approve', signature: signatureNo(5), epoch: 2 } as const
    expect(completed({ consent }).after).toMatchObject({ approveSignature: signatureNo(5), delegationEpoch: 2 })
  })

  test('a signed text is not enough without room for the slice', () => {
    const delegation = { ...DELEGATION, chainAllowance: units(119_999_999n) }
    expect(decide({ delegation })).toMatchObject({ kind: 'refused', code: 'authorization_required' })
    const consent = { by: 'approve', signature: signatureNo(5), epoch: 2 } as const
    expect(decide({ delegation, consent }).kind).toBe('moved')
  })

  test('a signed text makes the delegation active, so that its allowance is checked regularly', () => {
    for (const status of ['pending', 'cleared', 'revoked'] as const) {
      const { delegation } = completed({ delegation: { ...DELEGATION, status, clearedAt: START } })
      expect(delegation?.after).toMatchObject({ status: 'active', epoch: 1, clearedAt: null })
    }
  })

  test('an allowance that the wallet gave by itself begins the first epoch', () => {
    const own = { ...DELEGATION, status: 'pending', epoch: 0, authorizedTotal: units(0n) } as const
    const { after, delegation } = completed({ delegation: own })
    expect(delegation?.after).toMatchObject({ status: 'active', epoch: 1, authorizedTotal: own.chainAllowance })
    expect(after.delegationEpoch).toBe(1)
  })

  test.each([
    ['completed', 'checkout_completed'],
    ['canceled', 'checkout_closed'],
  ] as const)('a checkout that is %s is refused', (status, code) => {
    expect(decide({ checkout: { ...CHECKOUT, status } })).toMatchObject({ kind: 'refused', code })
  })

  test('an expired checkout refuses a signed text, and is completed by an approve that was sent in time', () => {
    const after = new Date(START.getTime() + DAY)
    expect(decide({}, after)).toMatchObject({ kind: 'refused', code: 'checkout_expired' })
    const consent = { by: 'approve', signature: signatureNo(5), epoch: 2 } as const
    expect(decide({ consent }, after).kind).toBe('moved')
  })
})
