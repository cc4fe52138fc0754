// Payments of one marketplace that change at once do not wait for each other, and at every moment the figures are a recount.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createStatsRollupStore } from '#adapters/prisma/stats/rollup-store.ts'
import { createStatsStore } from '#adapters/prisma/stats/stats-store.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { SOL } from '#core/chain/types.ts'
import { INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { statsOf } from '#core/stats/stats.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { paymentsForSellers, recount } from '../../../support/marketplace.ts'
import { addressNo, choice, leg, signatureNo, units } from '../../../support/payment.ts'
import { countBlocked } from '../../../support/statements.ts'
import { addBusiness, addIntent, patchIntent, planSweepOf, type Stores, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

const MIDNIGHT = Date.UTC(2026, 10, 1)
const QUARTER = 900_000
const RANGE = { from: new Date(MIDNIGHT - 96 * QUARTER), to: new Date(MIDNIGHT + 96 * QUARTER + 1) }

let db: Database
let stores: Stores
let marketplace: Tenant
beforeAll(async () => {
  db = await openTestDatabase('postgresql')
  stores = storesOf(db)
  marketplace = await addBusiness(db)
})
afterAll(() => db.close())

/** A sweep in SOL whose legs are different for each payment. */
const legsOf = (number: number) => [
  leg('seller', addressNo(1), 900_000n - BigInt(number)),
  leg('marketplace', addressNo(2), 20_000n + BigInt(number), 250),
  leg('refund', addressNo(3), 77n),
]

/** Plans the sweep of a payment, settles it between other changes, and changes its status often. */
async function moveOften(created: PaymentIntent, number: number): Promise<void> {
  const legs = legsOf(number)
  let payment = await planSweepOf(stores, created, { legs })
  for (let round = 0; round < 12; round += 1) {
    const status = INTENT_STATUSES[round % 11] ?? 'paid'
    const settled = round === number ? settlementBy(legs) : {}
    payment = await patchIntent(stores.work, payment, { status, ...settled })
  }
}

const settlementBy = (legs: ReturnType<typeof legsOf>) => ({
  selection: choice(SOL, 920_000n),
  settlement: {
    asset: 'SOL',
    decimals: 9,
    destinationAmount: units(0n),
    platformFeeAmount: units(0n),
    pendingAmount: units(0n),
    signatures: [signatureNo(1)],
    legs: legs.map((one) => ({ ...one, mint: null, asset: 'SOL', decimals: 9, signature: signatureNo(1) })),
  },
})

/** What the sweeps of settled payments moved, by their legs. Decimals are text. */
const MOVED = `
SELECT count(DISTINCT payment.id)::int AS "paymentsCount", coalesce(sum(leg.amount) FILTER (WHERE leg.role <> 'refund'), 0)::text AS volume,
  coalesce(sum(leg.amount) FILTER (WHERE leg.role = 'marketplace'), 0)::text AS "feeRevenue"
FROM payment_intents payment
JOIN transfers transfer ON transfer.intent_id = payment.id AND transfer.kind = 'sweep'
JOIN transfer_legs leg ON leg.transfer_id = transfer.id
WHERE payment.caller_account_id = $1 AND jsonb_typeof(payment.settlement) = 'object'`

type Moved = { readonly paymentsCount: number; readonly volume: string; readonly feeRevenue: string }

/** The figures, and what a recount of payments and of the legs of their sweeps gives, in one snapshot. */
async function look() {
  return await db.session(async ({ query, script }) => {
    await script('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const [figures = []] = await createStatsStore({ query }).figures(marketplace, {
      of: 'sellers',
      ranges: [RANGE],
    })
    const rows = await query<{ status: string; count: bigint }>(
      'SELECT status::text AS status, count(*) AS count FROM payment_intents WHERE caller_account_id = $1 GROUP BY 1',
      [marketplace.accountId],
    )
    const [moved] = await query<Moved>(MOVED, [marketplace.accountId])
    await script('COMMIT')
    const { countsByStatus, byAsset } = statsOf(figures)
    const counts = Object.fromEntries(Object.entries(countsByStatus).filter(([, count]) => count !== 0))
    const [{ paymentsCount, volume, feeRevenue } = NOTHING] = byAsset
    return {
      figures: { counts, moved: { paymentsCount, volume: String(volume), feeRevenue: String(feeRevenue) } },
      recounted: { counts: Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])), moved },
    }
  })
}
const NOTHING = { paymentsCount: 0, volume: 0n, feeRevenue: 0n }

test('the figures equal a recount of the same snapshot while payments change and changes are compacted', async () => {
  const seller = await addBusiness(db, 'live', marketplace.accountId)
  const create = (at: number) =>
    addIntent(stores, marketplace, {
      accountId: seller.accountId,
      createdAt: new Date(MIDNIGHT + (at - 3) * QUARTER + (at % 2)),
    })
  const payments = await Promise.all(Array.from({ length: 6 }, (_, at) => create(at)))
  let isChanging = true
  const compacting = async () => {
    while (isChanging) await createStatsRollupStore(db).compact(7)
  }
  const changes = Promise.all(payments.map(moveOften)).finally(() => {
    isChanging = false
  })
  const compactors = [compacting(), compacting()]
  let looks = 0
  for (; isChanging || looks === 0; looks += 1) {
    const { figures, recounted } = await look()
    expect(figures).toEqual(recounted)
  }
  await Promise.all([changes, ...compactors])
  expect((await look()).recounted.moved?.paymentsCount).toBe(payments.length)
  const [figures = []] = await createStatsStore(db).figures(marketplace, { of: 'sellers', ranges: [RANGE] })
  expect(statsOf(figures)).toEqual(recount(await paymentsForSellers(db, marketplace.accountId), RANGE, null))
})

test('a rebuild waits for a worker that adds figures up, and counts nothing twice', async () => {
  await db.query(
    `INSERT INTO stats_deltas (scope, account_id, quarter, asset, status, payments, volume, net, fee_revenue,
    volume_microcents, net_microcents, fee_microcents) VALUES ('payee', $1, $2, 'SOL', 'swept', 1, 1, 1, 0, 1, 1, 0)`,
    [marketplace.accountId, new Date(MIDNIGHT)],
  )
  const rebuilt = await db.session(async ({ query, script }) => {
    await script('BEGIN')
    await createStatsRollupStore({ query }).compact(1_000)
    const rebuilding = db.query('SELECT rebuild_stats()')
    await until(async () => (await countBlocked(db)) > 0)
    await script('COMMIT')
    return rebuilding
  })
  expect(rebuilt).toHaveLength(1)
  while ((await createStatsRollupStore(db).compact(1_000)) > 0);
  const rows = await db.query("SELECT 1 FROM stats_rollups WHERE scope = 'payee' AND account_id = $1", [
    marketplace.accountId,
  ])
  expect(rows).toEqual([])
})
