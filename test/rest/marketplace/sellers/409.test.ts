import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMarketplace } from '../../../support/example-seller.ts'
import { type SellerEdge, startSellerEdge } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'
import { addIntent, storesOf } from '../../../support/stores.ts'

let edge: SellerEdge
beforeAll(async () => {
  edge = await startSellerEdge()
})
afterAll(() => edge.close())

it('an archive while money is in flight names the payments, and archives nothing', async () => {
  const key = withKey(edge.keys.own)
  const { id } = (await edge.post('/marketplace/sellers', { name: 'Busy Shop' }, key)).body
  const payment = await addIntent(storesOf(edge.database), edge.tenant, { accountId: id })
  const { status, body } = await edge.ask('DELETE', `/marketplace/sellers/${id}`, key)
  expect([status, body]).toEqual([
    409,
    { error: expect.any(String), intent_ids: [payment.id], subscription_ids: [], subscription_intent_ids: [] },
  ])
  expect((await edge.get(`/marketplace/sellers/${id}`, key)).body.status).toBe('active')
})

it('a create beyond the limit of sellers', async () => {
  const { tenant } = await addMarketplace(edge.database, edge.marketplaces, { sellerLimit: 1 })
  const key = withKey(await edge.keyOf(tenant.accountId))
  expect((await edge.post('/marketplace/sellers', { name: 'One', external_id: 'one' }, key)).status).toBe(201)
  const { status, body } = await edge.post('/marketplace/sellers', { name: 'Two' }, key)
  expect([status, Object.keys(body)]).toEqual([409, ['error']])
  expect((await edge.post('/marketplace/sellers', { name: 'One', external_id: 'one' }, key)).status).toBe(200)
})
