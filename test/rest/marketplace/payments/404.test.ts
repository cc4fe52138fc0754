import { expect, it } from 'vitest'
import { startTestMarketplace } from '../../../support/marketplace.ts'
import { TEST_API_KEY, withKey } from '../../../support/services.ts'
import { addBusiness } from '../../../support/stores.ts'

it('GET /marketplace/payments?seller_id= of another marketplace, of no seller, and of no UUID are 404, all alike', async () => {
  const bazaar = await startTestMarketplace()
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
  await bazaar.close()
})

it('GET /marketplace/payments answers 404 to a business that is not a marketplace', async () => {
  const shop = await startTestMarketplace({ isMarketplace: false })
  for (const query of ['', '?status=swept', '?from=0000-01-01T00:00:00Z']) {
    const { status, body } = await shop.service.get(`/marketplace/payments${query}`, withKey())
    expect([status, body]).toEqual([404, { error: 'not found' }])
  }
  await shop.close()
})
