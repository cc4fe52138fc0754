// Payments of one marketplace that change at once do not wait for each other, and at every moment the figures are a recount.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createStatsRollupStore } from '#adapters/prisma/marketplace/rollup-store.ts'
import { createMarketplaceStatsStore } from '#adapters/prisma/marketplace/stats-store.ts'
import type { Tenant } from '#core/accounts/account.ts'
import { statsOf } from '#core/marketplace/stats.ts'
import { INTENT_STATUSES, type PaymentIntent } from '#core/payments/payment-intent.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { paymentsForSellers, recount } from '../../../support/stats.ts'
import { addBusiness, addIntent, patchIntent, type Stores, storesOf } from '../../../support/stores.ts'

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

async function moveOften(created: PaymentIntent): Promise<void> {
  let payment = created
  for (let round = 0; round < 12; round += 1) {
    payment = await patchIntent(stores.work, payment, { status: INTENT_STATUSES[round % 11] ?? 'paid' })
  }
}

/** The counts of the figures and those of the payments, in one snapshot. */
async function look(): Promise<readonly [counted: object, recounted: object]> {
  return await db.session(async ({ query, script }) => {
    await script('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const [figures = []] = await createMarketplaceStatsStore({ query }).figures(marketplace, {
      sellerId: null,
      ranges: [RANGE],
    })
    const rows = await query<{ status: string; count: bigint }>(
      'SELECT status::text AS status, count(*) AS count FROM payment_intents WHERE caller_account_id = $1 GROUP BY 1',
      [marketplace.accountId],
    )
    await script('COMMIT')
    const counted = Object.entries(statsOf(figures).countsByStatus).filter(([, count]) => count !== 0)
    return [Object.fromEntries(counted), Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))]
  })
}

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
    const [counted, recounted] = await look()
    expect(counted).toEqual(recounted)
  }
  await Promise.all([changes, ...compactors])
  const [figures = []] = await createMarketplaceStatsStore(db).figures(marketplace, { sellerId: null, ranges: [RANGE] })
  expect(statsOf(figures)).toEqual(recount(await paymentsForSellers(db, marketplace.accountId), RANGE, null))
})
