// The figures of a marketplace equal a recount of its payments, whatever changes at the same time.
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import type { IntentPatch } from '#core/payments/change.ts'
import { INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { bucketsOf, type TimeRange } from '#core/stats/calendar.ts'
import { type Stats, type StatsSubject, statsOf } from '#core/stats/stats.ts'
import { addSubscription, addTier } from '../../../support/billing-rows.ts'
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

describeOnBothEngines('the figures of a business and of its marketplace', (open) => {
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

  const stats = (ranges: readonly TimeRange[], of: StatsSubject) =>
    createStatsStore(db)
      .figures(marketplace, { of, ranges })
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
  const isAbout = (of: StatsSubject, { accountId }: PaymentIntent): boolean =>
    typeof of === 'string' ? (accountId === marketplace.accountId) === (of === 'business') : accountId === of.sellerId
  const expected = (ranges: readonly TimeRange[], of: StatsSubject): readonly Stats[] =>
    ranges.map((range) =>
      recount(
        known.filter((payment) => isAbout(of, payment)),
        range,
        null,
      ),
    )

  /** Compares the figures of every subject with a recount. */
  async function check(...divisions: readonly (readonly TimeRange[])[]): Promise<void> {
    for (const subject of ['business', 'sellers', { sellerId: sellers[0]?.accountId ?? '' }] as const)
      for (const ranges of divisions) expect(await stats(ranges, subject)).toEqual(expected(ranges, subject))
  }

  /** Creates a payment for one of the three, or in one of the three statuses. */
  async function createOneOfMany(number: number, createdAt: Date): Promise<void> {
    await create(createdAt, Math.abs(number) % 3, 250 + number)
    const status = (['pending', 'swept', 'cancelled'] as const)[(Math.abs(number) % 7) % 3]
    await patch(known.length - 1, { status })
  }

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
            await check([range], hours, days)
          },
        )
        .beforeEach(reset),
      { numRuns: db.kind === 'embedded' ? 8 : 40 },
    )
  }, 60_000)

  test('do not change when they are compacted', async () => {
    const year = { from: new Date(MIDNIGHT - 182 * DAY), to: new Date(MIDNIGHT + 182 * DAY) }
    const hours = bucketsOf({ from: new Date(MIDNIGHT), to: new Date(MIDNIGHT + DAY) }, 'hour', 'UTC') ?? []
    for (let number = 0; number < 12; number += 1)
      await createOneOfMany(number, new Date(MIDNIGHT + number * 7 * QUARTER))
    do await check([year], hours)
    while ((await compact(5)) > 0)
    const [left] = await db.query<{ count: bigint }>('SELECT count(*) AS count FROM stats_deltas')
    expect(left?.count).toBe(0n)
  })

  test.each(['America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Auckland', 'Pacific/Honolulu'])(
    'of local days of %s equal a recount, whatever part of the changes is compacted',
    async (zone) => {
      const fourDays = { from: new Date(MIDNIGHT - 2 * DAY + 1), to: new Date(MIDNIGHT + 2 * DAY - 1) }
      const days = bucketsOf(fourDays, 'day', zone) ?? []
      for (let number = -62; number <= 62; number += 1)
        await createOneOfMany(number, new Date(MIDNIGHT + number * 3 * QUARTER + 60_000))
      do await check(days)
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
      await createOneOfMany(minute, new Date(MIDNIGHT + minute * 60_000 + 1))
    do await check(ranges)
    while ((await compact(30)) > 0)
  })

  test('of charges are of those that succeeded, whatever is compacted', async () => {
    const tier = await addTier(db, marketplace)
    await db.query(
      `INSERT INTO tokens (network, asset, mint, is_native, name, ticker, decimals, extensions, feed_key, updated_at)
       VALUES ('live', $1, $1, false, 'Dollar', 'USD', 6, '{}', 'USD', now()) ON CONFLICT DO NOTHING`,
      [tier.mint],
    )
    const ids: string[] = []
    for (let number = 0; number < 4; number += 1) {
      const { charge } = await addSubscription(db, tier, MIDNIGHT, { status: 'incomplete' })
      const createdAt = new Date(MIDNIGHT + number * 7 * QUARTER + 1)
      await db.query('UPDATE charges SET created_at = $2 WHERE id = $1', [charge.id, createdAt])
      ids.push(charge.id)
    }
    const range = { from: new Date(MIDNIGHT + 1), to: new Date(MIDNIGHT + 21 * QUARTER) }
    const sums = async () => {
      const [{ volumeUsdCents, netUsdCents, paymentsCount } = statsOf([])] = await stats([range], 'charges')
      return { volumeUsdCents, netUsdCents, paymentsCount }
    }
    expect(await sums()).toEqual({ volumeUsdCents: 0n, netUsdCents: 0n, paymentsCount: 0 })
    // The first one is in a part of a quarter of an hour, and the last one is later.
    await db.query(`UPDATE charges SET status = 'succeeded' WHERE id = ANY($1::uuid[])`, [
      ids.filter((_id, number) => number !== 2),
    ])
    do expect(await sums()).toEqual({ volumeUsdCents: 200n, netUsdCents: 198n, paymentsCount: 2 })
    while ((await compact(1)) > 0)
  })

  test('are those of its own sellers', async () => {
    const all = [{ from: new Date(0), to: new Date('2100-01-01') }]
    for (const seller of [0, 2]) await create(new Date(MIDNIGHT), seller, 100)
    const other = await addBusiness(db)
    for (const subject of ['sellers', 'business'] as const) {
      const [empty] = await createStatsStore(db).figures(other, { of: subject, ranges: all })
      expect(statsOf(empty ?? [])).toMatchObject({ paymentsCount: 0, byAsset: [] })
    }
  })
})
