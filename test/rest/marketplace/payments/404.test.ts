import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestMarketplace, type TestMarketplace } from '../../../support/marketplace.ts'
import { TEST_API_KEY, withKey } from '../../../support/services.ts'
import { addBusiness } from '../../../support/stores.ts'

let bazaar: TestMarketplace
let shop: TestMarketplace
beforeAll(async () => {
  bazaar = await startTestMarketplace()
  shop = await startTestMarketplace({ isMarketplace: false })
})
afterAll(async () => {
  await bazaar.close()
  await shop.close()
})

it('GET /marketplace/payments?seller_id= of another marketplace, of no seller, and of no UUID are 404, all alike', async () => {
  const other = await addBusiness(bazaar.db)
  const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
  for (const id of [
    foreign.accountId,
    other.accountId,
    bazaar.marketplace.accountId,
    crypto.randomUUID(),
    'seller-1',
  ]) {
    const { status, body } = await bazaar.service.get(`/marketplace/payments?seller_id=${id}`, withKey())
    expect([status, body]).toEqual([404, { error: 'seller not found' }])
  }
  const own = bazaar.sellers[0].accountId
  const { status } = await bazaar.service.get(`/marketplace/payments?seller_id=${own}`, withKey(TEST_API_KEY))
  expect(status).toBe(404)
})

it('GET /marketplace/payments answers 404 to a business that is not a marketplace', async () => {
  for (const query of ['', '?status=swept', '?from=0000-01-01T00:00:00Z']) {
    const { status, body } = await shop.service.get(`/marketplace/payments${query}`, withKey())
    expect([status, body]).toEqual([404, { error: 'not found' }])
  }
})

it('a payment of another marketplace, of the marketplace itself, of another network, and no payment are 404, all alike', async () => {
  const other = await addBusiness(bazaar.db)
  const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
  const payment = await bazaar.pay(foreign, '2026-11-01T00:00:00.000Z')
  await bazaar.db.query('UPDATE payment_intents SET caller_account_id = $1 WHERE id = $2', [
    other.accountId,
    payment.id,
  ])
  const own = await bazaar.pay(bazaar.marketplace, '2026-11-01T00:00:00.000Z')
  const ask = (id: string, key?: string) => bazaar.service.get(`/marketplace/payments/${id}`, withKey(key))
  for (const id of [payment.id, own.id, crypto.randomUUID(), 'payment-1', '%00', 'a'.repeat(600)]) {
    const { status, body } = await ask(id)
    expect([status, body]).toEqual([404, { error: 'payment intent not found' }])
  }
  const sellers = await bazaar.pay(bazaar.sellers[0], '2026-11-01T00:00:00.000Z')
  expect((await ask(sellers.id)).status).toBe(200)
  expect((await ask(sellers.id, TEST_API_KEY)).status).toBe(404)
})

it('GET /marketplace/payments/:id answers 404 to a business that is not a marketplace', async () => {
  const payment = await shop.pay(shop.sellers[0], '2026-11-01T00:00:00.000Z')
  const { status, body } = await shop.service.get(`/marketplace/payments/${payment.id}`, withKey())
  expect([status, body]).toEqual([404, { error: 'not found' }])
})
