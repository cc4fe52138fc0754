import { expect, it } from 'vitest'
import { startTestMarketplace } from '../../../support/marketplace.ts'
import { TEST_API_KEY, withKey } from '../../../support/services.ts'
import { addBusiness } from '../../../support/stores.ts'

const PATHS = ['/marketplace/stats/summary', '/marketplace/stats/timeseries']

it('the figures of a seller of another marketplace, of no seller, and of another network are 404, all alike', async () => {
  const bazaar = await startTestMarketplace()
  const other = await addBusiness(bazaar.db)
  const foreign = await addBusiness(bazaar.db, 'live', other.accountId)
  const own = bazaar.sellers[0].accountId
  for (const path of PATHS) {
    for (const id of [
      foreign.accountId,
      other.accountId,
      bazaar.marketplace.accountId,
      crypto.randomUUID(),
      'seller-1',
      '',
      '%20',
      '%00',
      'a'.repeat(2_000),
    ]) {
      const { status, body } = await bazaar.service.get(`${path}?seller_id=${id}`, withKey())
      expect([status, body]).toEqual([404, { error: 'seller not found' }])
    }
    const { status } = await bazaar.service.get(`${path}?seller_id=${own}`, withKey(TEST_API_KEY))
    expect(status).toBe(404)
  }
  await bazaar.close()
})

it('the figures of a malformed seller are not found over GraphQL either', async () => {
  const bazaar = await startTestMarketplace()
  for (const id of ['', ' ', '\0', 'a\nb', 'a'.repeat(2_000)]) {
    for (const field of ['marketplaceStats', 'marketplaceStatsTimeseries']) {
      const literal = `{ ${field}(sellerId: ${JSON.stringify(id)}) { start } }`
      const variable = `query Figures($id: String) { ${field}(sellerId: $id) { start } }`
      for (const { body } of [
        await bazaar.service.graphql(literal, {}, withKey()),
        await bazaar.service.graphql(variable, { id }, withKey()),
      ])
        expect(body.errors[0].extensions.code).toBe('seller_not_found')
    }
  }
  await bazaar.close()
})

it('a business that is not a marketplace gets 404', async () => {
  const shop = await startTestMarketplace({ isMarketplace: false })
  for (const path of PATHS) {
    for (const query of ['', `?seller_id=${shop.sellers[0].accountId}`, '?to=0000-01-01T00:00:00Z']) {
      const { status, body } = await shop.service.get(path + query, withKey())
      expect([status, body]).toEqual([404, { error: 'not found' }])
    }
  }
  await shop.close()
})
