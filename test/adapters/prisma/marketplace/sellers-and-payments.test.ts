// Payments do not wait while a marketplace creates sellers. The payments of all businesses are stored by the same statements.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { countBlocked } from '../../../support/blocked.ts'
import { openTestDatabase } from '../../../support/database.ts'
import { addMarketplace, callerOf, marketplaceServices, sellerInput } from '../../../support/example-seller.ts'
import { addIntent, storesOf } from '../../../support/stores.ts'
import { until } from '../../../support/until.ts'

let db: Database
beforeAll(async () => {
  db = await openTestDatabase('postgresql')
})
afterAll(() => db.close())

const HELD = `
INSERT INTO accounts (id, network, name, marketplace_account_id, external_id, updated_at)
VALUES (gen_random_uuid(), 'live', 'Blue Shop', $1, 'shop-17', now())`

test('a payment for a seller does not wait for another seller that is being created', async () => {
  const sellers = marketplaceServices(db)
  const caller = await addMarketplace(db, sellers)
  const { tenant } = caller
  const { seller } = await sellers.createSeller(caller, sellerInput, async () => {})
  const stores = storesOf(db)
  const payment = {
    accountId: seller.id,
    marketplaceFeeBps: seller.marketplaceFeeBps,
    createdBy: callerOf(tenant).actor,
  }
  await db.session(async ({ query, script }) => {
    await script('BEGIN')
    await query(HELD, [tenant.accountId])
    const second = sellers.createSeller(caller, { ...sellerInput, externalId: 'shop-17' }, async () => {})
    // It has locked the marketplace, and waits for the external id.
    await until(async () => (await countBlocked(db)) > 0)
    const created = addIntent(stores, tenant, payment)
    expect(await Promise.race([created.then(() => 'created'), sleep(3_000, 'waits', { ref: false })])).toBe('created')
    await script('ROLLBACK')
    expect((await second).created).toBe(true)
    await created
  })
})
