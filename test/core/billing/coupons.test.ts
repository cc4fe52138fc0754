// What a coupon takes off, and what the machine charges with it for years.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Coupon, type CouponInput, judgeCoupon, judgeCouponInput } from '#core/billing/coupon.ts'
import {
  costOf,
  discountedCents,
  type Prices,
  periodsWithin,
  pricesOf,
  totalOf,
  totalWith,
} from '#core/billing/discount.ts'
import { remainingPeriods } from '#core/billing/entitlement.ts'
import { isUnderWay } from '#core/billing/machine/charging.ts'
import { decideTermChange } from '#core/billing/machine/terms.ts'
import { subscriptionEventData } from '#core/billing/payload.ts'
import { consentToCharges, statementOf } from '#core/billing/proof/consent.ts'
import { judgeTermChange, type TermOrder } from '#core/billing/term-change.ts'
import type { Interval, Tier } from '#core/billing/tier.ts'
import { makeUsdCents, ZERO } from '#core/money/amounts.ts'
import { cancelLater, pause, resume, WALLET } from '../../support/charge.ts'
import { amountOff, couponWith } from '../../support/coupon.ts'
import { signatureNo, units } from '../../support/payment.ts'
import { DAY, HOUR, START, SubscriptionWorld, TIER, termsOf } from '../../support/subscription-world.ts'

const CENT = 10_000n
const tierOf = (id: string, cents: number, interval: Interval, authorizationPeriods: number): Tier => ({
  ...TIER,
  id,
  priceUsdCents: makeUsdCents(cents),
  unitBaseUnits: units(BigInt(cents) * CENT),
  interval,
  authorizationPeriods,
})

describe('the price of a period with a discount', () => {
  const price = (cents: number, coupon = couponWith()) => Number(discountedCents(makeUsdCents(cents), coupon))

  test('is the price less the discount, which is rounded down to a cent', () => {
    expect(price(1_000)).toBe(500)
    expect(price(999)).toBe(500)
    expect(price(1_001, couponWith({ percentOff: 33 }))).toBe(671)
    expect(price(1_000, couponWith({ percentOff: 1 }))).toBe(990)
    expect(price(1_000, amountOff(250))).toBe(750)
  })

  test('stops at the lowest price that the platform had when the coupon was created', () => {
    expect(price(100, couponWith({ percentOff: 99 }))).toBe(10)
    expect(price(1_000, amountOff(5_000))).toBe(10)
    expect(price(1_000, amountOff(990))).toBe(10)
    expect(price(8, amountOff(5))).toBe(8)
  })

  test('is never above the whole price, nor zero, and a lower price never has a higher one', () => {
    const cents = fc.integer({ min: 1, max: 1_000_000 })
    const coupon = fc.oneof(
      fc.integer({ min: 1, max: 99 }).map((percentOff) => couponWith({ percentOff })),
      cents.map((off) => amountOff(off)),
    )
    fc.assert(
      fc.property(cents, cents, coupon, (a, b, one) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        expect(price(low, one)).toBeGreaterThanOrEqual(1)
        expect(price(low, one)).toBeLessThanOrEqual(low)
        expect(price(low, one)).toBeLessThanOrEqual(price(high, one))
      }),
    )
  })
})

test('an authorization is the sum of its charges, and pays exactly these', () => {
  const prices: Prices = { unitAmount: units(10n), discountedAmount: units(7n), discountedPeriods: 3 }
  expect([1, 3, 4, 12].map((periods) => costOf(prices, periods))).toEqual([7n, 21n, 31n, 111n])
  expect([0n, 6n, 7n, 20n, 21n, 30n, 31n, 111n].map((amount) => periodsWithin(prices, amount))).toEqual([
    0, 0, 1, 2, 3, 3, 4, 12,
  ])
  const forever = { ...prices, discountedPeriods: null }
  expect([costOf(forever, 12), periodsWithin(forever, 84n)]).toEqual([84n, 12])
  expect(totalWith(TIER, couponWith())).toBe(105_000_000n)
  expect(totalOf(TIER, pricesOf(TIER, couponWith()), 12)).toEqual({ usdCents: 10_500n, baseUnits: 105_000_000n })
  expect(totalWith(TIER, null)).toBe(120_000_000n)
})

describe('a subscription with a coupon', () => {
  const charged = (world: SubscriptionWorld) => world.pulls.map(({ amount }) => Number(amount / CENT))
  const month = (world: SubscriptionWorld) => world.runTo(world.subscription.currentPeriodEnd ?? START).charge()

  test('keeps its terms, and authorizes what its charges cost', () => {
    const world = SubscriptionWorld.incomplete(TIER, couponWith())
    expect(world.subscription).toMatchObject({
      unitAmount: 10_000_000n,
      discountedAmount: 5_000_000n,
      discountedPeriods: 3,
      authorizedAmount: 105_000_000n,
      periods: 12,
    })
    expect(subscriptionEventData(world.subscription).discount).toEqual({
      coupon_id: couponWith().id,
      code: 'WELCOME',
      percent_off: 50,
      amount_off_usd_cents: null,
      amount: '5000000',
      periods_left: 3,
    })
  })

  test('pays the discounted price for its first charges, and then the whole one until nothing is left', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 5 }, couponWith())
    for (let n = 0; n < 4; n += 1) month(world)
    expect(charged(world)).toEqual([500, 500, 500, 1_000, 1_000])
    expect(world.subscription).toMatchObject({ spentAmount: 35_000_000n, authorizedAmount: 35_000_000n })
    expect(remainingPeriods(world.subscription)).toBe(0)
  })

  test('divides the discounted charge into payout and fee', () => {
    const world = SubscriptionWorld.active(TIER, couponWith({ percentOff: 33 }))
    expect(world.latest).toMatchObject({ amount: 6_700_000n, feeAmount: 201_000n, netAmount: 6_499_000n })
  })

  test('does not lose its discount in a pause: only a charge that succeeds uses it', () => {
    const world = SubscriptionWorld.active(TIER, couponWith({ periods: 2 }))
    world.apply(pause(world.facts, world.context()))
    world.run(100 * DAY)
    world.apply(resume(world.facts, world.context()))
    world.charge()
    month(world)
    expect(charged(world)).toEqual([500, 500, 1_000])
  })

  test('has the discount on a period that is charged after failures, once', () => {
    const world = SubscriptionWorld.active(TIER, couponWith({ periods: 2 }))
    world.runTo(world.subscription.currentPeriodEnd ?? START).fail('insufficient_funds')
    world.run(6 * HOUR)
    world.charge()
    month(world)
    expect(charged(world)).toEqual([500, 500, 1_000])
  })

  test('has what is left of the discount on the price of another tier', () => {
    const world = SubscriptionWorld.active(TIER, couponWith())
    const dearer = tierOf('dearer', 3_001, 'month', 12)
    order(world, { kind: 'change', tier: dearer })
    expect(world.subscription).toMatchObject({ discountedAmount: 15_010_000n, discountedPeriods: 2 })
    expect(world.subscription.authorizedAmount).toBe(2n * 15_010_000n + 9n * 30_010_000n)
  })

  test('needs the wallet for a tier that costs more for each day with the discount, though less without it', () => {
    const yearly = tierOf('yearly', 5_010, 'year', 4)
    const monthly = tierOf('monthly', 417, 'month', 4)
    const kind = (coupon: Coupon | null) =>
      judgeTermChange(SubscriptionWorld.active(yearly, coupon).facts, { kind: 'change', tier: monthly }).kind
    expect(kind(null)).toBe('changed')
    // Ten cents a year, and then ten cents a month.
    expect(kind(amountOff(5_000, { periods: null }))).toBe('proof_required')
    expect(kind(amountOff(5_000, { periods: 1 }))).toBe('changed')
  })

  test('has the discount on the first charges after a trial', () => {
    const world = SubscriptionWorld.trialing(14, TIER, couponWith({ periods: 1 }))
    world.run(15 * DAY).charge()
    month(world)
    expect(charged(world)).toEqual([500, 1_000])
  })

  test('is renewed for the sum of the charges that come', () => {
    const world = SubscriptionWorld.active({ ...TIER, authorizationPeriods: 2 }, couponWith())
    expect(judgeTermChange(world.facts, { kind: 'renew' })).toMatchObject({ terms: { periods: 2, slice: 10_000_000n } })
    month(world)
    expect(judgeTermChange(world.facts, { kind: 'renew' })).toMatchObject({ terms: { periods: 2, slice: 15_000_000n } })
  })
})

describe('what a wallet signs', () => {
  const statement = (periods: number | null, charges: number, trialDays = 0) => {
    const tier = { ...TIER, authorizationPeriods: charges }
    const coupon = couponWith({ periods })
    const given = {
      network: 'live',
      wallet: WALLET,
      subscriptionId: 'one',
      merchant: 'Shop',
      periods: charges,
      trialDays,
    } as const
    return statementOf(
      consentToCharges(
        { purpose: 'checkout', ...given, tier, prices: pricesOf(tier, coupon) },
        totalWith(tier, coupon),
      ),
    )
  }

  test('says the price of the first charges, the price after them, and the sum', () => {
    expect(statement(3, 12)).toBe(
      'Authorize [Shop] to charge 5.00 USD every month for the first 3 charges, then 10.00 USD, ' +
        '105.00 USD in total for 12 charges.',
    )
    expect(statement(1, 12)).toContain('5.00 USD every month for the first charge, then 10.00 USD, 115.00 USD in total')
  })

  test('says the trial that comes before the first charge', () => {
    expect(statement(3, 12, 14)).toContain(
      'to charge 5.00 USD every month after a free trial of 14 days, for the first 3 charges, then 10.00 USD, 105.00 USD',
    )
  })

  test('says one price when all charges have the discount', () => {
    expect(statement(null, 12)).toBe(
      'Authorize [Shop] to charge 5.00 USD every month, 60.00 USD in total for 12 charges.',
    )
    expect(statement(12, 12)).toBe(statement(null, 12))
  })
})

describe('a new coupon', () => {
  const input: CouponInput = {
    code: 'summer-26',
    percentOff: 20,
    amountOffUsdCents: null,
    periods: null,
    maxUses: null,
    maxUsesPerWallet: null,
    endsAt: null,
    productId: null,
  }
  const later = new Date(START.getTime() + DAY)

  test('with every kind of terms is accepted', () => {
    const patches: Partial<CouponInput>[] = [
      {},
      { code: ' ABC ' },
      { code: 'x'.repeat(32) },
      { percentOff: 99 },
      { percentOff: null, amountOffUsdCents: 1n },
      { periods: 10_000, maxUses: 100_000, maxUsesPerWallet: 1, endsAt: later },
    ]
    for (const patch of patches) expect(judgeCouponInput({ ...input, ...patch }, START)).toBeNull()
  })

  test.each([
    ['code', { code: 'ab' }],
    ['code', { code: 'x'.repeat(33) }],
    ['code', { code: 'ten percent' }],
    ['code', { code: '-abc' }],
    ['code', { code: 'größe' }],
    ['percent_off', { percentOff: null }],
    ['percent_off', { percentOff: 0 }],
    ['percent_off', { percentOff: 100 }],
    ['percent_off', { percentOff: 0.5 }],
    ['amount_off_usd_cents', { amountOffUsdCents: 100n }],
    ['amount_off_usd_cents', { percentOff: null, amountOffUsdCents: 0n }],
    ['amount_off_usd_cents', { percentOff: null, amountOffUsdCents: 2n ** 60n }],
    ['periods', { periods: 0 }],
    ['max_uses', { maxUses: 100_001 }],
    ['max_uses_per_wallet', { maxUsesPerWallet: -1 }],
    ['ends_at', { endsAt: START }],
  ])('that breaks the rule of %s is refused: %o', (field, patch) => {
    expect(judgeCouponInput({ ...input, ...patch }, START)).toBe(field)
  })
})

test.each([
  [null, {}, {}],
  [null, { maxUses: 2, maxUsesPerWallet: 1 }, { uses: 1 }],
  ['coupon_not_found', { archivedAt: START }, {}],
  ['coupon_ended', { endsAt: START }, {}],
  [null, { endsAt: new Date(START.getTime() + 1) }, {}],
  ['coupon_not_for_product', { productId: 'another' }, {}],
  ['coupon_used_up', { maxUses: 2 }, { uses: 2 }],
  ['coupon_used_up', { maxUses: 9, maxUsesPerWallet: 1 }, { uses: 1, usesOfWallet: 1 }],
])('a checkout gets %s for a coupon with %o after %o', (code, terms, uses) => {
  const use = { productId: 'product', uses: 0, usesOfWallet: 0, now: START, ...uses }
  expect(judgeCoupon(couponWith(terms), use)).toBe(code)
})

/** Judges an order and applies it with the agreement of the wallet. Returns the slice that it agreed to; null without a change. */
function order(world: SubscriptionWorld, wanted: TermOrder, by: 'proof' | 'approve' = 'proof'): bigint | null {
  const judged = judgeTermChange(world.facts, wanted)
  if (judged.kind === 'refused') return null
  const next = wanted.kind === 'change' ? termsOf(wanted.tier) : world.facts.terms
  const epoch = world.facts.delegation.epoch + 1
  const approve = { by: 'approve', signature: signatureNo(7), epoch, pulledSince: ZERO, agreedAt: world.now } as const
  const consent = by === 'approve' ? approve : ({ by } as const)
  const agreed = { kind: wanted.kind, agreed: judged.terms, next }
  world.apply(decideTermChange(world.facts, agreed, consent, world.context()))
  world.facts = { ...world.facts, terms: next }
  return judged.terms.slice
}

// Ten years of random changes, next to a formula that knows nothing of the machine: the nth charge that succeeds costs the price of
// the tier, in whole cents, less the discount as long as n is among the first periods of the coupon.

const TIERS = [
  tierOf('monthly', 1_000, 'month', 12),
  tierOf('weekly', 333, 'week', 8),
  tierOf('yearly', 9_999, 'year', 2),
  tierOf('cheap', 25, 'month', 6),
  tierOf('dear', 4_567, 'month', 3),
] as const

type Terms = { percentOff: number | null; amountOff: number; periods: number | null }

/** In cents. Written without the code of the service. */
function priceOf(tier: Tier, terms: Terms, nth: number): number {
  const price = Number(tier.priceUsdCents)
  if (terms.periods !== null && nth >= terms.periods) return price
  const off = terms.percentOff === null ? terms.amountOff : Math.floor((price * terms.percentOff) / 100)
  return Math.max(price - off, 10)
}

const terms = fc.record({
  percentOff: fc.option(fc.integer({ min: 1, max: 99 })),
  amountOff: fc.integer({ min: 1, max: 2_000 }),
  periods: fc.option(fc.integer({ min: 1, max: 30 })),
})

const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ is: fc.constant('charge' as const), days: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('fail' as const), days: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('down' as const), days: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('pause' as const), days: fc.integer({ min: 0, max: 120 }) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('cancel' as const), days: fc.integer({ min: 0, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('change' as const),
      tier: fc.constantFrom(...TIERS),
      by: fc.constantFrom('proof' as const, 'approve' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('renew' as const) }) },
)

test('ten years of random changes charge what the formula says, and never more than was signed', {
  timeout: 120_000,
}, () => {
  let [charges, discounted] = [0, 0]
  fc.assert(
    fc.property(
      fc.constantFrom(...TIERS),
      terms,
      fc.array(step, { minLength: 10, maxLength: 40 }),
      (tier, given, steps) => {
        const coupon =
          given.percentOff === null
            ? amountOff(given.amountOff, { periods: given.periods })
            : couponWith({ percentOff: given.percentOff, periods: given.periods })
        const world = SubscriptionWorld.incomplete(tier, coupon)
        const end = new Date(START.getTime() + 3_653 * DAY)
        let present = tier
        /** What the wallet signed last, and what was pulled of it. In cents. */
        let signed = 0
        let pulledOfSigned = 0
        /** The sum of the charges that come, which a wallet signs. */
        const sumOfNext = (periods: number): number =>
          Array.from({ length: periods }, (_, n) => priceOf(present, given, world.pulls.length + n)).reduce(
            (sum, price) => sum + price,
            0,
          )
        signed = sumOfNext(tier.authorizationPeriods)
        expect(world.subscription.authorizedAmount).toBe(BigInt(signed) * CENT)

        const pay = (): void => {
          const { status } = world.own.charge
          if (status !== 'pending' || isUnderWay(world.own)) return
          const nth = world.pulls.length
          if (!world.prepare()) return
          if (world.own.live !== 'prepared' || !world.maySign()) return
          world.sign()
          world.land()
          const cents = Number((world.pulls.at(-1)?.amount ?? 0n) / CENT)
          expect(cents).toBe(priceOf(present, given, nth))
          pulledOfSigned += cents
          expect(pulledOfSigned).toBeLessThanOrEqual(signed)
          charges += 1
          if (cents < Number(present.priceUsdCents)) discounted += 1
        }
        const agree = (wanted: TermOrder, by: 'proof' | 'approve'): void => {
          const left = remainingPeriods(world.subscription)
          const before = world.subscription.tierId
          const slice = order(world, wanted, by)
          if (slice === null) return
          if (wanted.kind === 'change') present = wanted.tier
          const periods = wanted.kind === 'change' ? left : present.authorizationPeriods
          expect(before === world.subscription.tierId).toBe(wanted.kind === 'renew')
          expect(slice).toBe(BigInt(sumOfNext(periods)) * CENT)
          signed = Number(slice / CENT)
          pulledOfSigned = 0
        }
        const go = (days: number): void => {
          const until = new Date(world.now.getTime() + days * DAY)
          for (let at = world.subscription.dueAt; at !== null && at <= until; at = world.subscription.dueAt) {
            if (at > world.now) world.now = at
            if (!world.due()) break
            pay()
          }
          world.now = until
        }
        for (let at = 0; world.now < end; at += 1) {
          const one = steps[at % steps.length]
          if (one === undefined) break
          if (at > 2_000) break
          pay()
          if (['canceled', 'failed'].includes(world.subscription.status)) break
          switch (one.is) {
            case 'charge':
              go(one.days)
              break
            case 'fail':
              if (world.own.charge.status === 'pending' && world.own.live === null) world.fail('insufficient_funds')
              go(one.days)
              break
            case 'down':
              world.wait(one.days * DAY)
              while (world.due()) pay()
              break
            case 'pause':
              answer(world, pause(world.facts, world.context()))
              go(one.days)
              answer(world, resume(world.facts, world.context()))
              break
            case 'cancel':
              answer(world, cancelLater(world.facts, world.context()))
              world.wait(one.days * HOUR)
              answer(world, resume(world.facts, world.context()))
              break
            case 'change':
              agree({ kind: 'change', tier: one.tier }, one.by)
              break
            case 'renew':
              agree({ kind: 'renew' }, 'approve')
          }
          if (world.subscription.status === 'exhausted') agree({ kind: 'renew' }, 'proof')
        }
      },
    ),
    { numRuns: 150 },
  )
  // The courses are worth something only when they charge, with a discount and without.
  expect(discounted).toBeGreaterThan(1_000)
  expect(charges - discounted).toBeGreaterThan(1_000)
})

function answer(world: SubscriptionWorld, decision: Parameters<SubscriptionWorld['apply']>[0]): void {
  if (decision.kind !== 'refused') world.apply(decision)
}
