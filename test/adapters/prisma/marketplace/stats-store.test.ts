// The figures of a marketplace equal a recount of its payments, whatever changes at the same time.
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createStatsRollupStore } from '#adapters/prisma/marketplace/rollup-store.ts'
import { createMarketplaceStatsStore } from '#adapters/prisma/marketplace/stats-store.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { bucketsOf, type TimeRange } from '#core/marketplace/calendar.ts'
import { type Stats, statsOf } from '#core/marketplace/stats.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import type { IntentPatch } from '#core/payments/change.ts'
import { INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { describeOnBothEngines } from '../../../support/database.ts'
import { MINT } from '../../../support/example-intent.ts'
import { recount } from '../../../support/marketplace.ts'
import { addressNo, choice, signatureNo, units } from '../../../support/payment.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../../support/stores.ts'

const QUARTER = 900_000
const DAY = 96 * QUARTER
const MIDNIGHT = Date.UTC(2026, 10, 1)

/** Within two days of an end of daylight saving, or of an end of the longest span; the ends of the others are likely. */
const anyTime = fc
  .tuple(
    fc.constantFrom(0, 0, 0, -22, -6, 10),
    fc.integer({ min: -192, max: 192 }),
    fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: QUARTER })),
  )
  .map(([days, quarters, ms]) => new Date(MIDNIGHT + days * DAY + quarters * QUARTER + ms))

const anySettlement = fc
  .record({
    seller: fc.bigInt(1n, 10n ** 12n),
    marketplace: fc.bigInt(0n, 10n ** 10n),
    refund: fc.bigInt(0n, 10n ** 9n),
    fee: fc.constantFrom(0n, 5_000n),
    expected: fc.bigInt(1n, 10n ** 12n),
    isToken: fc.boolean(),
  })
  .map(({ seller, marketplace, refund, fee, expected, isToken }): IntentPatch => {
    const common = { mint: isToken ? MINT : null, asset: isToken ? 'USDC' : 'SOL', decimals: 9, feeBps: null }
    const leg = (role: 'seller' | 'marketplace' | 'refund' | 'network_fee', amount: bigint, number: number) => ({
      ...common,
      role,
      destination: addressNo(number),
      amount: units(amount),
      signature: signatureNo(1),
    })
    return {
      selection: choice(isToken ? MINT : SOL, expected),
      settlement: {
        asset: common.asset,
        decimals: 9,
        destinationAmount: units(seller),
        platformFeeAmount: units(0n),
        pendingAmount: units(0n),
        signatures: [signatureNo(1)],
        legs: [
          leg('seller', seller, 1),
          leg('marketplace', marketplace, 2),
          leg('refund', refund, 3),
          leg('network_fee', fee, 4),
        ],
      },
    }
  })

const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      at: anyTime,
      seller: fc.nat(2),
      cents: fc.integer({ min: 1, max: 10 ** 6 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      payment: fc.nat(),
      status: fc.constantFrom(...INTENT_STATUSES),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('settle' as const), payment: fc.nat(), patch: anySettlement }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('compact' as const), limit: fc.integer({ min: 1, max: 20 }) }) },
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** Up to weeks; or less than half an hour, so that it may touch two quarters and have none as a whole. */
const anyRange = fc
  .oneof(
    fc.tuple(anyTime, anyTime),
    fc
      .tuple(anyTime, fc.integer({ min: 0, max: 2 * QUARTER }))
      .map(([a, ms]) => [a, new Date(a.getTime() + ms)] as const),
  )
  .map(([a, b]): TimeRange => (a < b ? { from: a, to: b } : { from: b, to: a }))

describeOnBothEngines('the figures of a marketplace', (open) => {
  let db: Database
  let stores: Stores
  let marketplace: Tenant
  let sellers: readonly Tenant[]
  let known: PaymentIntent[]

  beforeAll(async () => {
    db = await open()
    stores = storesOf(db)
  })
  const reset = async () => {
    marketplace = await addBusiness(db)
    sellers = [
      await addBusiness(db, 'live', marketplace.accountId),
      await addBusiness(db, 'live', marketplace.accountId),
    ]
    known = []
  }
  beforeEach(reset)

  const stats = (ranges: readonly TimeRange[], sellerId: string | null = null) =>
    createMarketplaceStatsStore(db)
      .figures(marketplace, { sellerId, ranges })
      .then((found) => found.map(statsOf))
  const compact = (limit = 1_000) => createStatsRollupStore(db).compact(limit)

  /** Seller 2 stands for the marketplace itself: such a payment is none of a seller. */
  async function create(createdAt: Date, seller: number, cents: number): Promise<void> {
    const accountId = (sellers[seller] ?? marketplace).accountId
    known.push(await addIntent(stores, marketplace, { accountId, createdAt, priceUsdCents: makeUsdCents(cents) }))
  }
  async function patch(place: number, change: IntentPatch): Promise<void> {
    const at = place % Math.max(known.length, 1)
    const before = known[at]
    if (before !== undefined) known[at] = await patchIntent(stores.work, before, change)
  }
  async function run(step: Step): Promise<void> {
    if (step.do === 'create') return await create(step.at, step.seller, step.cents)
    if (step.do === 'compact') return void (await compact(step.limit))
    await patch(step.payment, step.do === 'move' ? { status: step.status } : step.patch)
  }
  const forSellers = () => known.filter(({ accountId }) => accountId !== marketplace.accountId)
  const expected = (ranges: readonly TimeRange[], sellerId: string | null = null): readonly Stats[] =>
    ranges.map((range) => recount(forSellers(), range, sellerId))

  test('equal a recount after any changes and compactions', async () => {
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(anyStep, { minLength: 1, maxLength: 25 }),
          anyRange,
          fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu'),
          async (steps, range, zone) => {
            for (const step of steps) await run(step)
            const [hours, days] = [bucketsOf(range, 'hour', zone) ?? [], bucketsOf(range, 'day', zone) ?? []]
            for (const sellerId of [null, sellers[0]?.accountId ?? ''])
              for (const ranges of [[range], hours, days])
                expect(await stats(ranges, sellerId)).toEqual(expected(ranges, sellerId))
          },
        )
        .beforeEach(reset),
      { numRuns: db.kind === 'embedded' ? 8 : 40 },
    )
  }, 60_000)

  test('do not change when they are compacted', async () => {
    const year = { from: new Date(MIDNIGHT - 182 * DAY), to: new Date(MIDNIGHT + 182 * DAY) }
    const hours = bucketsOf({ from: new Date(MIDNIGHT), to: new Date(MIDNIGHT + DAY) }, 'hour', 'UTC') ?? []
    const both = async () => ({ year: await stats([year]), hours: await stats(hours) })
    for (let number = 0; number < 12; number += 1)
      await create(new Date(MIDNIGHT + number * 7 * QUARTER), number % 2, 250)
    for (let number = 0; number < 6; number += 1) await patch(number, { status: 'swept' })
    const before = await both()
    while ((await compact(5)) > 0) expect(await both()).toEqual(before)
    expect(before).toEqual({ year: expected([year]), hours: expected(hours) })
    const [left] = await db.query<{ count: bigint }>('SELECT count(*) AS count FROM stats_deltas')
    expect(left?.count).toBe(0n)
  })

  test.each(['America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Auckland', 'Pacific/Honolulu'])(
    'of local days of %s equal a recount, whatever part of the changes is compacted',
    async (zone) => {
      const fourDays = { from: new Date(MIDNIGHT - 2 * DAY + 1), to: new Date(MIDNIGHT + 2 * DAY - 1) }
      const days = bucketsOf(fourDays, 'day', zone) ?? []
      for (let number = -62; number <= 62; number += 1)
        await create(new Date(MIDNIGHT + number * 3 * QUARTER + 60_000), Math.abs(number) % 2, 250 + number)
      const seller = sellers[0]?.accountId ?? ''
      const all = { together: expected(days), ofSeller: expected(days, seller) }
      do expect({ together: await stats(days), ofSeller: await stats(days, seller) }).toEqual(all)
      while ((await compact(50)) > 0)
    },
  )

  test.each([
    { minutes: [5, 18], of: 'parts of two quarters' },
    { minutes: [50, 60, 68], of: 'hours whose parts touch each other' },
    { minutes: [5, 18, 40], of: 'ranges that divide three quarters' },
    { minutes: [1, 59], of: 'parts with whole quarters between them' },
  ])('of $of count each payment once, whatever is compacted', async ({ minutes }) => {
    const bounds = minutes.map((minute) => new Date(MIDNIGHT + minute * 60_000))
    const ranges = bounds.slice(1).map((to, at): TimeRange => ({ from: bounds[at] ?? to, to }))
    for (let minute = 0; minute < 75; minute += 1)
      await create(new Date(MIDNIGHT + minute * 60_000 + 1), minute % 2, 250 + minute)
    for (let number = 0; number < 75; number += 3) await patch(number, { status: 'swept' })
    const seller = sellers[0]?.accountId ?? ''
    const all = { together: expected(ranges), ofSeller: expected(ranges, seller) }
    do expect({ together: await stats(ranges), ofSeller: await stats(ranges, seller) }).toEqual(all)
    while ((await compact(30)) > 0)
  })

  test('are those of its own sellers', async () => {
    const all = [{ from: new Date(0), to: new Date('2100-01-01') }]
    await create(new Date(MIDNIGHT), 0, 100)
    const other = await addBusiness(db)
    const [empty] = await createMarketplaceStatsStore(db).figures(other, { sellerId: null, ranges: all })
    expect(statsOf(empty ?? [])).toMatchObject({ paymentsCount: 0, byAsset: [] })
  })
})
